import { command, type Command, type Helper } from '../../cli/command.ts';
import { ExitCode } from '../../core/errors.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { tcshCompletion } from './tcsh.ts';
import { zshCompletion } from './zsh.ts';

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion, tcsh: tcshCompletion };
type Shell = keyof typeof SCRIPTS;

/** Prints a shell's completion script for all names. */
export function completionOf(helpers: () => readonly Helper[]): Command {
  return command({
    summary: 'Prints a shell completion script for all helpers.',
    operands: [{ name: 'SHELL', help: 'shell: bash, zsh, fish or tcsh', values: Object.keys(SCRIPTS) }],
    options: [],
    examples: [
      { line: 'kolla-pod completion bash', does: 'for bash: source <(kolla-pod completion bash)' },
      { line: 'kolla-pod completion fish', does: 'for fish: kolla-pod completion fish | source' },
      { line: 'kolla-pod completion tcsh', does: 'for tcsh: write it to ~/.kolla-pod.tcsh, and source that' },
    ],
    run({ operands: [shell] }, { stdout }) {
      stdout(SCRIPTS[shell as Shell](helpers()));
      return Promise.resolve(ExitCode.ok);
    },
  });
}
