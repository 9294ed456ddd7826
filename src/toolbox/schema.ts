import { defined } from '../core/defined.ts';
import { command, commandsOf, sectionOf, type Command, type Helper } from '../cli/command.ts';
import { COMMON_OPTIONS } from '../cli/common-options.ts';
import { ExitCode } from '../core/errors.ts';
import { SECTIONS } from '../cli/sections.ts';
import { detailedHelp } from '../cli/option-help.ts';
import type { Option } from '../cli/option.ts';
import { CHECKS_JSON_SCHEMA } from '../probe/serve/json-schema.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Prints the JSON Schema of kolla-pod.yaml. */
export function schemaOf(helpers: () => readonly Helper[]): Command {
  return command({
    summary: 'Prints the JSON Schema of kolla-pod.yaml.',
    description:
      'For editors, and to validate the file before applying its ConfigMap. The file cannot contain secrets.',
    operands: [],
    options: [],
    examples: [
      { line: 'kolla-pod schema', does: 'the entire schema' },
      { line: 'kolla-pod schema --log-format json', does: 'the same, with errors logged as JSON' },
    ],
    async run(_, { stdout }) {
      stdout(`${JSON.stringify(await fileSchema(helpers()), undefined, 2)}\n`);
      return ExitCode.ok;
    },
  });
}

/**
 * The schema of the whole file: common options at the top level, and a section per helper with a section for each of
 * its commands.
 */
export async function fileSchema(helpers: readonly Helper[]): Promise<Schema> {
  const { SECTION_SCHEMAS } = await import('./section-schemas.ts');
  // Sections of helpers that this version does not know may have any content.
  const free = SECTIONS.map((section) => [section, { type: 'object' }] as const);
  // Helpers with names of Kolla's commands (kolla_start, healthcheck_curl) have no options of their own, so no section.
  const withOptions = helpers.filter((helper) => (SECTIONS as readonly string[]).includes(sectionOf(helper)));
  const sections = withOptions.map(
    (helper) => [sectionOf(helper), { description: helper.summary, ...helperSchema(helper) }] as const,
  );
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'kolla-pod.yaml',
    ...mapping({
      ...optionSchemas(COMMON_OPTIONS.filter(({ flag }) => flag !== 'config')),
      ...Object.fromEntries([...free, ...sections]),
      ...SECTION_SCHEMAS,
      checks: CHECKS_JSON_SCHEMA,
    }),
  };
}

function helperSchema(helper: Helper): Schema {
  const parts = commandsOf(helper).map(([name, { summary, options }]) => {
    const own = optionSchemas(options);
    return name === '' ? own : { [name]: { description: summary, ...mapping(own) } };
  });
  return mapping(Object.assign({}, ...parts) as Schema);
}

function mapping(properties: Schema): Schema {
  return { type: 'object', additionalProperties: false, properties };
}

function optionSchemas(options: readonly Option[]): Schema {
  return Object.fromEntries(options.filter((o) => !o.secret).map((option) => [option.flag, optionSchema(option)]));
}

function optionSchema(option: Option): Schema {
  const about = { description: detailedHelp(option), examples: [valueOf(option, option.example)] };
  const given = defined({ default: option.default === undefined ? undefined : valueOf(option, option.default) });
  const one = valueSchema(option);
  return { ...about, ...given, ...(option.repeat ? { anyOf: [one, { type: 'array', items: one }] } : one) };
}

function valueSchema({ type, values }: Option): Schema {
  switch (type) {
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
      return { type: 'integer', minimum: 0 };
    case 'duration':
      return { type: 'string', pattern: String.raw`^(0|(\d+(\.\d+)?(ms|s|m|h|d))+)$` };
    case 'choice':
      return { enum: values };
    case 'string':
    case 'path':
      return { type: 'string' };
  }
}

function valueOf({ type }: Option, word: string): unknown {
  if (type === 'boolean') return word === 'true';
  return type === 'integer' ? Number(word) : word;
}
