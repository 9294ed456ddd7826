import { ExitCode } from './errors.ts';

/** One exit code, for `kolla-pod explain` and docs/reference/errors.md. */
export interface ExitCodeEntry {
  readonly code: number;
  /** The code's key in `ExitCode`. */
  readonly name: string;
  readonly means: string;
  /** The user's next step. */
  readonly next: string;
  /** The code's meaning for a specific helper. */
  readonly helpers?: Readonly<Record<string, string>>;
}

const rows: Record<keyof typeof ExitCode, Omit<ExitCodeEntry, 'code' | 'name'>> = {
  ok: {
    means: 'Success, or the check passed.',
    next: 'Nothing.',
    helpers: {
      'kolla-init': 'The files are installed and every dependency is ready.',
      'kolla-db-sync': 'The schema is up to date: migrated by this run, or meanwhile by another replica.',
      'kolla-bootstrap': 'Everything the service needs exists, or was created by this run.',
      'kolla-probe': 'Healthy.',
      'kolla-log-ship': 'All existing lines have been acknowledged.',
    },
  },
  no: {
    means: 'The check ran and failed.',
    next: 'Read the reason in the last line on stderr, which the kubelet also shows in the event `Unhealthy`.',
    helpers: {
      'kolla-init': '`check`: an installed file differs from config.json. `plan`: an entry requires root.',
      'kolla-bootstrap': '`plan`: there are changes to apply. `delete` without --yes: there are objects to remove.',
      'kolla-db-sync': '`upgrade-check`: a check of the service has failed.',
      'kolla-probe': 'Unhealthy.',
    },
  },
  usage: {
    means: 'The command line or an option in the environment is invalid. Nothing was done.',
    next: 'The message names the option and the nearest valid one; HELPER COMMAND --help shows all. Fix the manifest.',
    helpers: {
      'kubernetes-entrypoint':
        'A DEPENDENCY_* variable is invalid; the message names the column. The original kubernetes-entrypoint waits forever ' +
        'or ignores the variable; KOLLA_POD_COMPAT=lenient does the same.',
    },
  },
  badConfig: {
    means: 'An input file is missing or invalid. Nothing was done.',
    next: 'The message names the file and the location in it. Fix the file, or the ConfigMap that it comes from.',
    helpers: {
      'kolla-init': 'config.json, a file named in it, or kolla-pod.yaml.',
      'kolla-db-sync':
        'Or the schema is partially applied, so another run does not help; what the tool had done before stays.',
      'kolla-bootstrap': 'As kolla-db-sync.',
    },
  },
  unavailable: {
    means: 'A dependency is missing, or failed permanently.',
    next: 'The message names the dependency. Fix it, then retry; kolla-pod doctor shows what this Pod can reach.',
    helpers: {
      'kolla-init': 'A Job being waited for has failed: see its log, then delete and re-create it.',
      'kolla-db-sync':
        'The database rejected a request, the lock was lost during the migration, the tool exited with 0 and left the schema ' +
        'behind its head, or an upgrade check could not run.',
      'kolla-bootstrap': 'Keystone has a duplicate object, or rejected a request: the message names it and the fix.',
      'kolla-log-ship': 'With --once: a file cannot be read. The others are shipped.',
    },
  },
  bug: {
    means: 'A bug in kolla-pod.',
    next: 'Report it with the last line on stderr, which contains the stack trace.',
  },
  deadline: {
    means: 'A deadline was exceeded.',
    next: 'The message names the condition and its last state. Retry, possibly with a longer --timeout.',
    helpers: {
      'kolla-init': 'A dependency was not ready in time; the message names each one with its last state.',
      'kolla-db-sync':
        'The database did not respond, another holder kept the lock for too long, or an upgrade check did not finish.',
      'kolla-bootstrap': 'Keystone or RabbitMQ did not respond in time.',
      'kolla-log-ship': 'With --once: the server has accepted nothing for --timeout. The next run resumes there.',
    },
  },
  notPermitted: {
    means: 'The system or the API server denied access.',
    next:
      'The message names the missing permission: apply a Role for the ServiceAccount, or set fsGroup so that the group can ' +
      'write to the volume.',
    helpers: {
      'kolla-init': 'The ServiceAccount may not read the dependency; the message contains the Role to apply.',
      'kolla-bootstrap': 'Keystone or RabbitMQ rejected the credentials, or the account is not an administrator.',
      'kolla-log-ship': 'With --once: this user may not read a file. The others are shipped.',
    },
  },
  interrupted: { means: 'Terminated by Ctrl-C (SIGINT).', next: 'Nothing.' },
  outputClosed: {
    means: 'The reader of the output closed it early, as `| head` does.',
    next: 'Nothing, unless the output should have been read completely.',
  },
  terminated: {
    means: 'Terminated by SIGTERM, as when the Pod terminates.',
    next: 'Nothing, if the Pod was meant to terminate.',
    helpers: { 'kolla-db-sync': 'The migration was stopped; the next run resumes it.' },
  },
};

/** Not ours, but a shell's: of the helpers that become another program or run one. */
export const SHELL_CODES: readonly ExitCodeEntry[] = [
  {
    code: 126,
    name: 'not executable',
    means: 'The program to run exists, but cannot be executed.',
    next:
      'The last line on stderr names the file. It needs the x bit, the interpreter of its first line, the architecture of ' +
      'this node, and a volume that is not mounted noexec.',
  },
  {
    code: 127,
    name: 'command not found',
    means: 'There is no such program in this container, or its interpreter is missing.',
    next:
      "The last line on stderr names it. Is it in this image, and in PATH? It is the command of config.json, of the container's " +
      'arguments, or after --.',
  },
];

/** All our exit codes in ascending order. Other codes come from a child process or the executed program. */
export const EXIT_CODES: readonly ExitCodeEntry[] = Object.entries(rows)
  .map(([name, row]) => ({ code: ExitCode[name as keyof typeof ExitCode], name, ...row }))
  .toSorted((a, b) => a.code - b.code);
