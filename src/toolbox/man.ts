import { command, sectionOf, commandsOf, type Command, type Helper } from '../cli/command.ts';
import { ExitCode } from '../core/errors.ts';
import { COMMON_OPTIONS } from '../cli/common-options.ts';
import { EXIT_CODES } from '../core/exit-codes.ts';
import { usageOf } from '../cli/help.ts';
import { detailedHelp, flagOf, helpOf, sourcesOf } from '../cli/option-help.ts';
import type { Option } from '../cli/option.ts';
import { VERSION } from '../core/version.ts';

/** Prints a manual page, for man(1). */
export function manOf(helpers: () => readonly Helper[], names: readonly string[]): Command {
  return command({
    summary: "Prints a helper's manual page, for man(1).",
    operands: [{ name: 'HELPER', help: 'helper to describe (default: kolla-pod)', optional: true, values: names }],
    options: [],
    examples: [
      { line: 'kolla-pod man probe', does: 'to display the page: kolla-pod man probe | man -l -' },
      { line: 'kolla-pod man', does: 'the page for kolla-pod itself' },
    ],
    run({ operands: [word = 'kolla-pod'] }, { stdout }) {
      const helper = helpers().find((one) => one.name === word || sectionOf(one) === word);
      if (helper !== undefined) stdout(manPage(helper));
      return Promise.resolve(ExitCode.ok);
    },
  });
}

/** The manual page of one helper, for `man -l` or share/man/man8. */
export function manPage(helper: Helper): string {
  const commands = commandsOf(helper);
  return [
    // The page has no date, because it must be reproducible.
    `.TH ${helper.name.toUpperCase()} 8 "" "kolla-pod ${VERSION}" "System Administration"`,
    '.SH NAME',
    `${roff(helper.name)} \\- ${roff(helper.summary)}`,
    '.SH SYNOPSIS',
    ...commands.flatMap(([name, each]) => [`.B ${roff(usageOf(helper, name, each))}`, '.br']),
    ...others(helper),
    ...commands.flatMap(([name, each]) => commandPart(helper, name, each)),
    ...(helper.takesNoOptions ? [] : ['.SH OPTIONS OF EVERY COMMAND', ...optionParts(COMMON_OPTIONS, '')]),
    ...exitStatus(helper),
    '',
  ].join('\n');
}

function exitStatus(helper: Helper): string[] {
  if (helper.takesNoOptions) return ['.SH EXIT STATUS', 'That of the tool it replaces: see DESCRIPTION.'];
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

function commandPart(
  helper: Helper,
  name: string,
  { summary, description, operands, notes = [], options, examples }: Command,
): string[] {
  const path = name === '' ? sectionOf(helper) : `${sectionOf(helper)}.${name}`;
  return [
    `.SH ${name === '' ? 'DESCRIPTION' : roff(`${helper.name} ${name}`)}`,
    roff(summary),
    ...(description === undefined ? [] : ['.PP', roff(description)]),
    ...operands.flatMap((operand) => ['.TP', `.I ${roff(operand.name)}`, roff(operand.help)]),
    ...notes.flatMap(({ heading, rows }) => [
      '.PP',
      roff(`${heading}:`),
      ...rows.flatMap(([term, meaning]) => ['.TP', `.B ${roff(term)}`, roff(meaning)]),
    ]),
    ...optionParts(options, `${path}.`),
    '.PP',
    'Examples:',
    ...examples.flatMap(({ line, does }) => ['.TP', `.B ${roff(line)}`, roff(does)]),
  ];
}

function optionParts(options: readonly Option[], path: string): string[] {
  return options.flatMap((option) => [
    '.TP',
    `.B ${roff(flagOf(option))}`,
    roff(`${detailedHelp(option, helpOf(option))} ${sourcesOf(option, path).join(' ')}`),
  ]);
}

/** Escapes a dash so that it can be copied, and a line that roff would treat as a request. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
}
