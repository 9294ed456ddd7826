import { commandsOf, sectionOf, type Command, type Helper, type Operand } from '../../cli/command.ts';
import { COMMON_OPTIONS } from '../../cli/common-options.ts';
import type { Option } from '../../cli/option.ts';

/** Completions after the name of a helper or of one of its commands. */
export interface Position {
  readonly helper: string;
  /** The command; '' directly after the helper's name. */
  readonly command: string;
  readonly words: readonly { readonly word: string; readonly help: string }[];
  readonly flags: readonly Option[];
}

/** The two flags that no table contains. */
export const EVERYWHERE = [
  { word: '--help', help: 'show help' },
  { word: '--version', help: 'its version' },
] as const;

/** All positions that have completions. Secrets have no flags. */
export function positionsOf(helpers: readonly Helper[]): Position[] {
  return helpers.flatMap((helper) => {
    const commands = commandsOf(helper).filter(([name]) => name !== '');
    const words = [
      ...(helper.others ?? []).map((other) => ({ word: sectionOf(other), help: other.summary })),
      ...commands.map(([word, { summary }]) => ({ word, help: summary })),
      ...operandWords(helper.main?.operands),
    ];
    const start = { helper: helper.name, command: '', words, flags: helper.takesNoOptions ? [] : flagsOf(helper.main) };
    return [
      start,
      ...commands.map(([name, command]) => ({
        helper: helper.name,
        command: name,
        words: operandWords(command.operands),
        flags: flagsOf(command),
      })),
    ];
  });
}

/** `kolla-pod probe` and `kolla-pod kolla-probe` mean `kolla-probe`. */
export function aliasesOf(helpers: readonly Helper[]): { words: readonly [string, string]; helper: string }[] {
  return helpers
    .filter((helper) => helper.others === undefined)
    .map((helper) => ({ words: [sectionOf(helper), helper.name], helper: helper.name }));
}

/** One word of a script for bash or zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function flagsOf(command: Command | undefined): Option[] {
  const options: Option[] = command === undefined ? [] : [...command.options, ...COMMON_OPTIONS];
  return options.filter((option) => !option.secret);
}

function operandWords(operands: readonly Operand[] = []): { word: string; help: string }[] {
  return (operands[0]?.values ?? []).map((word) => ({ word, help: operands[0]?.help ?? '' }));
}
