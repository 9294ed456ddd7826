import { command, type Helper } from '../../cli/command.ts';
import type { ExitCode } from '../../core/errors.ts';
import { ignoreClosedStderr } from '../../cli/output.ts';
import { createLines, parseCommandLine, setConfigs } from './index.ts';

/** The command as Kolla has it: its words, its lines on stderr, its exit codes. Only KOLLA_CONFIG_STRATEGY is read of `env`. */
export async function runSetConfigs(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<ExitCode> {
  // Its output has no reader: no reason to stop in the middle.
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
  summary: "Puts the files of config.json in place, exactly as Kolla's own.",
  description:
    'Reads /var/lib/kolla/config_files/config.yaml or config.json, and nothing else; KOLLA_CONFIG_STRATEGY says COPY_ALWAYS or ' +
    'COPY_ONCE. Everything is looked up before anything is touched. Ends as Kolla does: 0 done, 1 for what Kolla has a name for ' +
    '(InvalidConfig, MissingRequiredSource; with --check: something differs), 2 for everything else. Its log lines are of the same format. ' +
    'No option of ours and no other variable is read, because sudo raises it to root.',
  operands: [
    { name: '--check', help: 'only compare: 0 nothing changed, 1 something did', optional: true, values: ['--check'] },
  ],
  options: [],
  examples: [
    { line: 'kolla_set_configs', does: 'as root in a Kolla image; kolla_start does it as well' },
    { line: 'kolla_set_configs --check', does: 'what kolla-ansible asks before it restarts a container' },
  ],
  run: ({ operands }, { inherited }) => runSetConfigs(operands, inherited),
});

export const setConfigsHelper: Helper = {
  name: 'kolla_set_configs',
  summary: "Puts the files of config.json in place, exactly as Kolla's own.",
  main,
  commands: {},
  takesNoOptions: true,
  isGuest: true,
};
