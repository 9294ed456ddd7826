/** docs/reference/cli.md and docs/reference/errors.md, from the program's own tables. */
import { commandsOf, sectionOf, type Command, type Helper } from '../../src/cli/command.ts';
import { COMMON_OPTIONS } from '../../src/cli/common-options.ts';
import { EXIT_CODES, SHELL_CODES } from '../../src/core/exit-codes.ts';
import { usageOf } from '../../src/cli/help.ts';
import { detailedHelp, flagOf } from '../../src/cli/option-help.ts';
import type { Option } from '../../src/cli/option.ts';

export const GENERATED = '<!-- Made by `make docs` from the tables in src/. Do not edit. -->';

/** The page with every command of every helper. */
export function cliPage(helpers: readonly Helper[]): string {
  return [
    '# Command line',
    '',
    GENERATED,
    '',
    "Precedence of an option's sources: flag, environment variable, `kolla-pod.yaml`, default. Durations use Go's format, as in Kubernetes:",
    '`900ms`, `5s`, `1h30m`. Secrets have no flag, since other users of the machine can read a command line. `kolla-pod schema`',
    'prints the JSON Schema of the file, `kolla-pod completion` a shell completion script.',
    '',
    '## Options of every command',
    '',
    ...optionTable(COMMON_OPTIONS, ''),
    ...helpers.flatMap(helperPart),
  ].join('\n');
}

function helperPart(helper: Helper): string[] {
  return [
    '',
    `## ${helper.name}`,
    '',
    helper.summary,
    ...commandsOf(helper).flatMap((one) => commandPart(helper, ...one)),
  ];
}

function commandPart(helper: Helper, name: string, command: Command): string[] {
  const path = name === '' ? `${sectionOf(helper)}.` : `${sectionOf(helper)}.${name}.`;
  const operands = command.operands.map((operand) => `- \`${operand.name}\`: ${cell(operand.help)}`);
  return [
    '',
    name === '' ? `### ${helper.name}, without a command` : `### ${helper.name} ${name}`,
    '',
    ...(command.summary === helper.summary ? [] : [command.summary, '']),
    ...(command.description === undefined ? [] : [command.description, '']),
    '```',
    usageOf(helper, name, command),
    '```',
    ...(operands.length === 0 ? [] : ['', ...operands]),
    ...(command.options.length === 0 ? [] : ['', ...optionTable(command.options, path)]),
    '',
    '```sh',
    ...command.examples.flatMap(({ line, does }) => [`# ${does}`, line]),
    '```',
  ];
}

function optionTable(options: readonly Option[], path: string): string[] {
  return [
    '| flag | environment | kolla-pod.yaml | default | description |',
    '|---|---|---|---|---|',
    ...options.map((option) => {
      const flag = option.secret ? '' : code(flagOf(option));
      const inFile = option.secret || option.flag === 'config' ? '' : code(path + option.flag);
      const given = option.default === undefined || option.default === '' ? '' : code(option.default);
      return `| ${flag} | ${code(option.env)} | ${inFile} | ${given} | ${cell(detailedHelp(option))} |`;
    }),
  ];
}

/** The page with every exit code, as needed to diagnose a terminated Pod. */
export function errorsPage(): string {
  return [
    '# Exit codes',
    '',
    GENERATED,
    '',
    'Every helper exits with one of these codes, or with the code of the program it ran. `kolla-pod explain CODE` prints the same in',
    'a terminal. The last line on stderr describes the failure; in a Pod, the termination message contains it too.',
    '',
    '| code | name | meaning | what to do |',
    '|---|---|---|---|',
    ...[...EXIT_CODES, ...SHELL_CODES].map(({ code: number, name, means, next, helpers = {} }) => {
      const own = Object.entries(helpers).map(([helper, what]) => `<br>\`${helper}\`: ${cell(what)}`);
      return `| ${number} | \`${name}\` | ${cell(means)}${own.join('')} | ${cell(next)} |`;
    }),
    '',
  ].join('\n');
}

function code(text: string): string {
  return `\`${cell(text)}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
