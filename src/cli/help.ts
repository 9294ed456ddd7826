import { sectionOf, type Command, type Helper } from './command.ts';
import { COMMON_OPTIONS } from './common-options.ts';
import { hiddenCount, optionGroups } from './option-help.ts';
import { fold, table } from './table.ts';
import { paint, type Terminal } from '../core/terminal.ts';

/** `kolla-probe tcp HOST:PORT [OPTION...]`. `name` is '' for the helper without a command. */
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

/** Maximum width: wider lines are hard to read on any terminal. */
const MOST_COLUMNS = 100;

interface HelpPage {
  /** Whether to show rarely used options too, for `--help-all`. */
  readonly isWhole?: boolean;
}

/** The output of `HELPER --help`: its commands, or the full help if it has only one. */
export function helperHelp(helper: Helper, screen: Terminal, page: HelpPage = {}): string {
  const terminal = narrowed(screen);
  const names = Object.keys(helper.commands);
  if (helper.main && names.length === 0) return commandHelp(helper, '', helper.main, terminal, page);
  const rows = Object.entries(helper.commands).map(([name, command]) => [`  ${name}`, command.summary]);
  const list = `${paint(terminal, 'bold', 'Commands')}\n${table(terminal, [], rows)}`;
  const more = `\nRun ${helper.name} COMMAND --help for its options.\n`;
  const others = othersOf(helper, terminal);
  if (helper.main) return `${commandHelp(helper, '', helper.main, terminal, page)}\n${list}${more}`;
  return `${helper.name} COMMAND\n\n${helper.summary}\n\n${others}${list}${more}`;
}

function othersOf({ others = [] }: Helper, terminal: Terminal): string {
  if (others.length === 0) return '';
  const rows = others.map((other) => [`  ${sectionOf(other)}`, other.summary]);
  const renamed = others.find((other) => other.name !== sectionOf(other));
  const example = renamed === undefined ? '' : `Each also runs under its own name, such as ${renamed.name}.\n`;
  return `${paint(terminal, 'bold', 'Helpers')}\n${table(terminal, [], rows)}${example}\n`;
}

function narrowed(terminal: Terminal): Terminal {
  return { ...terminal, width: Math.min(terminal.width, MOST_COLUMNS) };
}

/** One command's page: usage, summary, operands, options by group with their environment and default, examples. */
export function commandHelp(
  helper: Helper,
  name: string,
  command: Command,
  screen: Terminal,
  { isWhole = false }: HelpPage = {},
): string {
  const terminal = narrowed(screen);
  const title = (text: string) => paint(terminal, 'bold', text);
  const path = name === '' ? sectionOf(helper) : `${sectionOf(helper)}.${name}`;
  const description = command.description === undefined ? [] : ['', ...fold(command.description, terminal.width)];
  const hidden = isWhole ? 0 : hiddenCount(command.options);
  const called = name === '' ? helper.name : `${helper.name} ${name}`;
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
    ...(command.notes ?? []).flatMap(({ heading, rows }) => ['', title(heading), notesTable(rows, terminal)]),
    ...optionGroups(command.options, terminal, `${path}.`, isWhole),
    ...(helper.takesNoOptions
      ? []
      : optionGroups(
          COMMON_OPTIONS.map((option) => ({ ...option, group: 'Common options' })),
          terminal,
          '',
          isWhole,
        )),
    ...(hidden === 0 ? [] : ['', `${hidden} more ${hidden === 1 ? 'option' : 'options'}: ${called} --help-all`]),
    '',
    title('Examples'),
    ...examples,
    '',
  ].join('\n');
}

function notesTable(rows: readonly (readonly [string, string])[], terminal: Terminal): string {
  return table(
    terminal,
    [],
    rows.map(([term, meaning]) => [`  ${term}`, meaning]),
  ).trimEnd();
}
