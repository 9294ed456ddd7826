import { ExitCode } from './errors.ts';

/** One exit code for `kolla-pod explain` and docs/reference/errors.md. */
export interface ExitCodeEntry {
  readonly code: number;
  /** Its key in ExitCode. */
  readonly name: string;
  readonly means: string;
  /** The user's next step. */
  readonly next: string;
  /** Its meaning for a specific helper. */
  readonly helpers?: Readonly<Record<string, string>>;
}

const rows: Record<keyof typeof ExitCode, Omit<ExitCodeEntry, 'code' | 'name'>> = {
  ok: {
    means: 'Done, or the check says yes.',
    next: 'Nothing.',
    helpers: {
      'kolla-init': 'The files are in place and every dependency is met.',
      'kolla-db-sync': 'The schema is right: migrated now, or by another replica meanwhile.',
      'kolla-bootstrap': 'All is as the service needs it: already, or now.',
      'kolla-probe': 'Healthy.',
      'kolla-log-ship': 'Every line that was there has been acknowledged.',
    },
  },
  no: {
    means: 'The check ran and says no.',
    next: 'Read the reason: it is the last line on stderr, and the kubelet shows it in the event `Unhealthy`.',
    helpers: {
      'kolla-init': 'check: something is not as config.json asks. plan: an entry can only be had as root.',
      'kolla-bootstrap': 'plan: something would be made or changed. delete without --yes: something would be removed.',
      'kolla-probe': 'Unhealthy.',
    },
  },
  usage: {
    means: 'The command line or an option in the environment is wrong. Nothing was done.',
    next: 'The message names the option and the nearest valid one; HELPER COMMAND --help shows all. Fix the manifest.',
    helpers: {
      'kubernetes-entrypoint':
        'A DEPENDENCY_* variable, with the column. The original waited for ever, or went on without it; KOLLA_POD_COMPAT=lenient does the same.',
    },
  },
  badConfig: {
    means: 'A file that was given is missing or wrong. Nothing was done.',
    next: 'The message names the file and the place in it. Fix the file or the ConfigMap that it comes from.',
    helpers: { 'kolla-init': 'config.json, a file that it names, or kolla-pod.yaml.' },
  },
  unavailable: {
    means: 'A dependency is missing, or failed permanently.',
    next: 'The message names it. Retrying helps once that is fixed; kolla-pod doctor shows what this pod can reach.',
    helpers: {
      'kolla-init': 'A Job that was waited for has failed: see its log, delete it and let it run again.',
      'kolla-db-sync': 'The database refuses, or the lock was lost while the migration ran.',
      'kolla-bootstrap': 'Keystone has something twice, or refuses it: the message says which, and how to end it.',
    },
  },
  bug: {
    means: 'A mistake of ours.',
    next: 'Report it with the line on stderr, which holds the stack trace.',
  },
  deadline: {
    means: 'The time allowed ran out.',
    next: 'The message names the condition and its last state. Retrying may help; so may a longer --timeout.',
    helpers: {
      'kolla-init': 'A dependency was not ready in time; each one is named with its last state.',
      'kolla-db-sync': 'The database did not answer, or another holder kept the lock for too long.',
      'kolla-bootstrap': 'Keystone or RabbitMQ did not answer in time.',
    },
  },
  notPermitted: {
    means: 'The system or the API server refuses.',
    next:
      'The message names the missing permission: a Role for the ServiceAccount, or the owner of a volume ' +
      '(fsGroup).',
    helpers: {
      'kolla-init': 'The service account may not read what is waited for; the message holds the Role to apply.',
      'kolla-bootstrap': 'Keystone or RabbitMQ does not know who we say that we are, or we are no admin there.',
    },
  },
  interrupted: { means: 'Ended by Ctrl-C (SIGINT).', next: 'Nothing.' },
  outputClosed: {
    means: 'Whoever read the output closed it before its end, as `| head` does.',
    next: 'Nothing, unless the reader should have read on.',
  },
  terminated: {
    means: 'Ended by SIGTERM, as at the end of a pod.',
    next: 'Nothing, if the Pod was to be terminated.',
    helpers: { 'kolla-db-sync': 'The migration was stopped; the next run takes it up again.' },
  },
};

/** All our exit codes, in ascending order. Others are those of a child or of the executed program. */
export const EXIT_CODES: readonly ExitCodeEntry[] = Object.entries(rows)
  .map(([name, row]) => ({ code: ExitCode[name as keyof typeof ExitCode], name, ...row }))
  .toSorted((a, b) => a.code - b.code);
