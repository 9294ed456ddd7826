import { sectionOf, type Command, type Helper } from './command.ts';
import { COMMON_OPTIONS } from './common-options.ts';
import type { Option } from './option.ts';
import { fold, table } from './table.ts';
import { paint, type Terminal } from '../core/terminal.ts';

/** `kolla-probe tcp HOST:PORT [OPTION...]`. `name` is '' for what the helper does without a command. */
export function usageOf(helper: Helper, name: string, command: Command): string {
  const operands = command.operands.map((o) => {
    const word = o.many ? `${o.name}...` : o.name;
    return o.optional ? `[${word}]` : word;
  });
  const child = command.child === undefined ? [] : [`[-- ${command.child}...]`];
  return [
    helper.name,
    ...(name === '' ? [] : [name]),
    ...operands,
    ...(helper.takesNoOptions ? [] : ['[OPTION...]']),
    ...child,
  ].join(' ');
}

/** The page that `HELPER --help` prints: its commands, or its only one whole. */
export function helperHelp(helper: Helper, terminal: Terminal): string {
  const names = Object.keys(helper.commands);
  if (helper.main && names.length === 0) return commandHelp(helper, '', helper.main, terminal);
  const rows = Object.entries(helper.commands).map(([name, command]) => [`  ${name}`, command.summary]);
  const list = `${paint(terminal, 'bold', 'Commands')}\n${table(terminal, [], rows)}`;
  const more = `\n${helper.name} COMMAND --help tells more of one.\n`;
  const others = othersOf(helper, terminal);
  if (helper.main) return `${commandHelp(helper, '', helper.main, terminal)}\n${list}${more}`;
  return `${helper.name} COMMAND\n\n${helper.summary}\n\n${others}${list}${more}`;
}

function othersOf({ others = [] }: Helper, terminal: Terminal): string {
  if (others.length === 0) return '';
  const rows = others.map((other) => [
    `  ${sectionOf(other)}`,
    other.name === sectionOf(other) ? other.summary : `${other.summary} Also called as ${other.name}.`,
  ]);
  return `${paint(terminal, 'bold', 'Helpers')}\n${table(terminal, [], rows)}\n`;
}

/** One command's page: usage, what it does, operands, options with their environment and default, examples. */
export function commandHelp(helper: Helper, name: string, command: Command, terminal: Terminal): string {
  const title = (text: string) => paint(terminal, 'bold', text);
  const path = name === '' ? sectionOf(helper) : `${sectionOf(helper)}.${name}`;
  const description = command.description === undefined ? [] : ['', ...fold(command.description, terminal.width)];
  const operands = command.operands.map((o) => [`  ${o.name}`, o.help]);
  const examples = command.examples.flatMap(({ line, does }) => [
    `  ${paint(terminal, 'dim', `# ${does}`)}`,
    `  ${line}`,
  ]);
  return [
    usageOf(helper, name, command),
    '',
    ...fold(command.summary, terminal.width),
    ...description,
    ...(operands.length === 0 ? [] : ['', title('Operands'), table(terminal, [], operands).trimEnd()]),
    ...(command.options.length === 0 ? [] : ['', title('Options'), optionTable(command.options, terminal, `${path}.`)]),
    ...(helper.takesNoOptions
      ? []
      : ['', title('Options of every command'), optionTable(COMMON_OPTIONS, terminal, '')]),
    '',
    title('Examples'),
    ...examples,
    '',
  ].join('\n');
}

function optionTable(options: readonly Option[], terminal: Terminal, filePath: string): string {
  const rows = options.map((option) => [`  ${flagOf(option)}`, `${option.help}${sourcesOf(option, filePath)}`]);
  return table(terminal, [], rows).trimEnd();
}

/** `--timeout DURATION`, `--insecure`, or `(ENV)` for a secret, which is no flag. */
export function flagOf(option: Option): string {
  if (option.secret) return `(${option.env})`;
  const flag = option.short === undefined ? `--${option.flag}` : `-${option.short}, --${option.flag}`;
  return option.type === 'boolean' ? flag : `${flag} ${metavar(option)}`;
}

/** A choice of more is told with its help, which can be folded. */
const LONGEST_CHOICE = 40;

/** What stands for the value in usage. */
function metavar(option: Option): string {
  const word = choiceOf(option) ?? (option.type === 'choice' ? 'WORD' : option.type.toUpperCase());
  return option.repeat ? `${word} (again for more)` : word;
}

/** `ensure|remove`; undefined for what is no choice, or one of too many words. */
function choiceOf({ type, values = [] }: Option): string | undefined {
  const words = values.join('|');
  return type === 'choice' && words.length <= LONGEST_CHOICE ? words : undefined;
}

/** ` (environment X; file probe.tcp.timeout; default 900ms)`. `filePath` is '' or ends with a dot. */
export function sourcesOf(option: Option, filePath: string): string {
  const repeat = option.repeat ? ', separated by commas' : '';
  const parts = [`environment ${option.env}${repeat}`];
  if (option.type === 'choice' && choiceOf(option) === undefined) parts.unshift(`one of ${option.values?.join(', ')}`);
  if (option.flag !== 'config' && !option.secret) parts.push(`file ${filePath}${option.flag}`);
  if (option.default !== undefined && option.default !== '') parts.push(`default ${option.default}`);
  return ` (${parts.join('; ')})`;
}
