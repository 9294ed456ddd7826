import type { Option } from './option.ts';
import { fold } from './table.ts';
import { paint, type Terminal } from '../core/terminal.ts';

/** Column where an option's help starts; it moves to the next line after a longer flag. */
const HELP_COLUMN = 30;
/** The same column on a narrow terminal. */
const NARROW_COLUMN = 8;
const NARROW_BELOW = 72;
const INDENT = '  ';

/**
 * An option table in groups, in the order of their first rows; options without a group are listed under `Options`.
 * @param filePath of the command in kolla-pod.yaml: '' or ends with a dot
 * @param isWhole whether to include rarely used options
 * @returns lines, each group preceded by an empty line and its title
 */
export function optionGroups(
  options: readonly Option[],
  terminal: Terminal,
  filePath: string,
  isWhole: boolean,
): string[] {
  const shown = options.filter(({ isRare }) => isWhole || !isRare);
  const titles = [...new Set(shown.map(groupOf))];
  return titles.flatMap((title) => [
    '',
    paint(terminal, 'bold', title),
    ...shown.filter((option) => groupOf(option) === title).flatMap((option) => optionLines(option, terminal, filePath)),
  ]);
}

/** Number of options shown only by `--help-all`. */
export function hiddenCount(options: readonly Option[]): number {
  return options.filter(({ isRare }) => isRare).length;
}

function groupOf({ group = 'Options' }: Option): string {
  return group;
}

/** The flag with its help, then its environment variable and key in brackets. */
function optionLines(option: Option, terminal: Terminal, filePath: string): string[] {
  const flag = INDENT + flagOf(option);
  const column = terminal.width < NARROW_BELOW ? NARROW_COLUMN : HELP_COLUMN;
  const indent = ' '.repeat(column);
  const room = terminal.width - column;
  const help = [...fold(helpOf(option), room), ...packed(sourcesOf(option, filePath), room)];
  const isBeside = flag.length + 2 <= column;
  const [first = '', ...rest] = isBeside ? help : ['', ...help];
  return [(isBeside ? flag.padEnd(column) + first : flag).trimEnd(), ...rest.map((line) => indent + line)];
}

/** `--timeout DURATION`, `--yes`, or `(ENV)` for a secret, which has no flag. */
export function flagOf(option: Option): string {
  if (option.secret) return `(${option.env})`;
  const flag = option.short === undefined ? `--${option.flag}` : `-${option.short}, --${option.flag}`;
  return option.type === 'boolean' ? flag : `${flag} ${metavar(option)}`;
}

/** Maximum length of a choice's values in the placeholder. Longer ones are listed in the help text, which can wrap. */
const LONGEST_CHOICE = 40;

/** The value's placeholder in usage, with dots if the option may be repeated. */
function metavar(option: Option): string {
  const word = choiceOf(option) ?? (option.type === 'choice' ? 'WORD' : option.type.toUpperCase());
  return option.repeat ? `${word}...` : word;
}

/** The sources on one line if they fit, else one per line. Only a narrow terminal breaks a bracket. */
function packed(parts: readonly string[], room: number): readonly string[] {
  const line = parts.join(' ');
  return line.length <= room ? [line] : parts.flatMap((part) => fold(part, room));
}

/** The values, separated by `|`; undefined for other types, and for choices whose values are too long. */
function choiceOf({ type, values = [] }: Option): string | undefined {
  const words = values.join('|');
  return type === 'choice' && words.length <= LONGEST_CHOICE ? words : undefined;
}

/** The help with the values of a long choice and the default: `maximum time to wait (default 30m)`. */
export function helpOf(option: Option): string {
  const values =
    option.type === 'choice' && choiceOf(option) === undefined ? ` (one of ${option.values?.join(', ')})` : '';
  const given = option.default === undefined || option.default === '' ? '' : ` (default ${option.default})`;
  return option.help + values + given;
}

/** The help as a sentence, followed by the details. */
export function detailedHelp(option: Option, help: string = option.help): string {
  return option.details === undefined ? help : `${help}. ${option.details}`;
}

/** `[env: X]`, `[file: probe.tcp.timeout]`; `[env: X, comma-separated]` for an option that may be repeated. */
export function sourcesOf(option: Option, filePath: string): string[] {
  const env = `[env: ${option.env}${option.repeat ? ', comma-separated' : ''}]`;
  return option.flag === 'config' || option.secret ? [env] : [env, `[file: ${filePath}${option.flag}]`];
}
