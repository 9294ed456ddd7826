import { ARGV, PLACE, STEP, TEXT } from './json-schema-words.ts';

const STEPS = { type: 'array', minItems: 1, items: STEP } as const;
const VARIABLE_NAME = { type: 'string', pattern: String.raw`^[A-Za-z_]\w*$` } as const;
const GROUPS = 'by the names of the groups of line';

const LISTED = {
  type: 'object',
  additionalProperties: false,
  required: ['argv', 'line', 'is', 'holds'],
  description: 'how the tool itself shows what it has made',
  properties: {
    argv: ARGV,
    line: { ...TEXT, format: 'regex', description: 'a line of its output that is one such thing, with named groups' },
    is: { type: 'object', minProperties: 1, additionalProperties: TEXT, description: `which is ours, ${GROUPS}` },
    not: { type: 'object', additionalProperties: TEXT, description: `which are not ours in any case, ${GROUPS}` },
    sameUrl: { ...TEXT, description: 'the group whose URL tells ours as well, under whatever name' },
    holds: { type: 'object', additionalProperties: PLACE, description: `options that it must agree with, ${GROUPS}` },
  },
} as const;

/** `tool:` of a service. */
export const TOOL = {
  type: 'array',
  description: 'what its own tool does before its first start, beside the schema; in this order',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'summary', 'steps', 'done'],
    properties: {
      name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,26}$' },
      summary: TEXT,
      steps: STEPS,
      settings: {
        type: 'object',
        propertyNames: { pattern: String.raw`^\w+$` },
        additionalProperties: TEXT,
        description: 'what {name} in a word stands for, unless it is set',
      },
      variables: {
        type: 'array',
        description: 'values from the environment, or from the file that NAME_FILE names',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['name'],
          properties: {
            name: VARIABLE_NAME,
            otherwise: { type: 'array', items: VARIABLE_NAME, description: 'where else to look' },
            default: TEXT,
            secret: { const: true },
            required: { const: true },
          },
        },
      },
      throwawayKeys: {
        type: 'array',
        items: VARIABLE_NAME,
        description: 'variables that get a folder of Fernet keys of their own, for a command that encrypts nothing',
      },
      done: {
        description: 'how one sees that it is done',
        oneOf: [
          {
            type: 'object',
            additionalProperties: false,
            required: ['listed', 'update'],
            properties: { listed: LISTED, update: { ...STEPS, description: 'where it is there and differs' } },
          },
          {
            type: 'object',
            additionalProperties: false,
            required: ['once'],
            properties: {
              once: { enum: ['release', 'ever'], description: 'by our record' },
              fills: { type: 'string', pattern: String.raw`^\w+$`, description: 'a table that is empty until then' },
            },
          },
        ],
      },
    },
  },
} as const;
