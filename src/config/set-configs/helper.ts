import { command, type Helper } from '../../cli/command.ts';
import type { ExitCode } from '../../core/errors.ts';
import { ignoreClosedStderr } from '../../cli/output.ts';
import { createLines, parseCommandLine, setConfigs } from './index.ts';

/**
 * The command with Kolla's arguments, log lines on stderr, and exit codes. Reads only KOLLA_CONFIG_STRATEGY of `env`.
 */
export async function runSetConfigs(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<ExitCode> {
  // A closed stderr is no reason to stop halfway.
  ignoreClosedStderr();
  const asked = parseCommandLine(argv);
  if ('exitCode' in asked) {
    if (asked.stdout !== undefined) process.stdout.write(asked.stdout);
    if (asked.stderr !== undefined) process.stderr.write(asked.stderr);
    return asked.exitCode;
  }
  const maker = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, umask: process.umask() };
  const lines = createLines((text) => void process.stderr.write(text));
  return await setConfigs({ root: '/', check: asked.check, strategy: env['KOLLA_CONFIG_STRATEGY'], maker }, lines);
}

const main = command({
  summary: "Installs the files of config.json, exactly as Kolla's own tool does.",
  description:
    'Reads only /var/lib/kolla/config_files/config.yaml or config.json; ' +
    'KOLLA_CONFIG_STRATEGY is COPY_ALWAYS or COPY_ONCE. Validates everything before it writes. Exit codes ' +
    "are Kolla's: 0 for success, 1 for Kolla's named errors (InvalidConfig, MissingRequiredSource; " +
    "with --check: a difference), 2 for any other error. Log lines have Kolla's format. kolla-pod's options " +
    'and other variables are ignored, because the command runs as root through sudo.',
  operands: [
    {
      name: '--check',
      help: 'only compare: exit code 0 if unchanged, 1 if changed',
      optional: true,
      values: ['--check'],
    },
  ],
  options: [],
  examples: [
    { line: 'kolla_set_configs', does: 'as root in a Kolla image; kolla_start does the same' },
    { line: 'kolla_set_configs --check', does: 'the check that kolla-ansible runs before it restarts a container' },
  ],
  run: ({ operands }, { inherited }) => runSetConfigs(operands, inherited),
});

export const setConfigsHelper: Helper = {
  name: 'kolla_set_configs',
  summary: "Installs the files of config.json, exactly as Kolla's own tool does.",
  main,
  commands: {},
  takesNoOptions: true,
  isGuest: true,
};
