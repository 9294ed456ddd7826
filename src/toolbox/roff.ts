import { commandsOf, sectionOf, type Command, type Helper } from '../cli/command.ts';
import { COMMON_OPTIONS } from '../cli/common-options.ts';
import { EXIT_CODES } from '../core/exit-codes.ts';
import { flagOf, sourcesOf, usageOf } from '../cli/help.ts';
import type { Option } from '../cli/option.ts';
import { VERSION } from '../core/version.ts';

/** One helper's manual page, for `man -l` or share/man/man8. */
export function manPage(helper: Helper): string {
  const commands = commandsOf(helper);
  return [
    // No date: the same tables must give the same page.
    `.TH ${helper.name.toUpperCase()} 8 "" "kolla-pod ${VERSION}" "System Administration"`,
    '.SH NAME',
    `${roff(helper.name)} \\- ${roff(helper.summary)}`,
    '.SH SYNOPSIS',
    ...commands.flatMap(([name, command]) => [`.B ${roff(usageOf(helper, name, command))}`, '.br']),
    ...others(helper),
    ...commands.flatMap(([name, command]) => commandPart(helper, name, command)),
    ...(helper.takesNoOptions ? [] : ['.SH OPTIONS OF EVERY COMMAND', ...optionParts(COMMON_OPTIONS, '')]),
    ...exitStatus(helper),
    '',
  ].join('\n');
}

function exitStatus(helper: Helper): string[] {
  if (helper.takesNoOptions) return ['.SH EXIT STATUS', 'That of the tool that it stands for: see DESCRIPTION.'];
  return [
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(({ code, means, helpers = {} }) => [
      '.TP',
      `.B ${code}`,
      roff([means, helpers[helper.name]].filter(Boolean).join(' ')),
    ]),
  ];
}

function others({ others: helpers = [] }: Helper): string[] {
  if (helpers.length === 0) return [];
  return ['.SH HELPERS', ...helpers.flatMap((other) => ['.TP', `.B ${roff(sectionOf(other))}`, roff(other.summary)])];
}

function commandPart(helper: Helper, name: string, command: Command): string[] {
  const path = name === '' ? sectionOf(helper) : `${sectionOf(helper)}.${name}`;
  return [
    `.SH ${name === '' ? 'DESCRIPTION' : roff(`${helper.name} ${name}`)}`,
    roff(command.summary),
    ...(command.description === undefined ? [] : ['.PP', roff(command.description)]),
    ...command.operands.flatMap((operand) => ['.TP', `.I ${roff(operand.name)}`, roff(operand.help)]),
    ...optionParts(command.options, `${path}.`),
    '.PP',
    'Examples:',
    ...command.examples.flatMap(({ line, does }) => ['.TP', `.B ${roff(line)}`, roff(does)]),
  ];
}

function optionParts(options: readonly Option[], path: string): string[] {
  return options.flatMap((option) => [
    '.TP',
    `.B ${roff(flagOf(option))}`,
    roff(option.help + sourcesOf(option, path)),
  ]);
}

/** A dash that can be copied, and no line that roff takes for a request. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
}
