/** Schema of a service's `tool:`, as in own-tool.ts, and common parts of these schemas. */
export const TEXT = { type: 'string', minLength: 1 } as const;
export const PATH = { type: 'string', pattern: '^/' } as const;
export const ARGV = {
  type: 'array',
  minItems: 1,
  items: { type: ['string', 'number'] },
  description: 'command line, run without a shell',
} as const;
const CODE = { type: 'integer', minimum: 0, maximum: 255 } as const;
export const CODE_KEY = String.raw`^\d{1,3}$`;

export const PLACE = {
  type: 'object',
  additionalProperties: false,
  required: ['section', 'key'],
  properties: { section: TEXT, key: TEXT },
} as const;

export const STEP = {
  type: 'object',
  additionalProperties: false,
  required: ['argv'],
  properties: {
    argv: ARGV,
    directory: { ...PATH, description: 'container it runs in' },
    again: { type: 'array', items: CODE, description: 'exit codes for partial progress: run it again' },
    codes: {
      type: 'object',
      additionalProperties: false,
      patternProperties: { [CODE_KEY]: TEXT },
      description: 'meaning of other exit codes',
    },
    afterwards: {
      type: 'object',
      additionalProperties: false,
      required: ['what', 'begins', 'fails', 'later'],
      description: 'what it does once the schema is complete; a failure of that is a warning',
      properties: {
        what: { ...TEXT, description: 'a noun phrase' },
        begins: { ...TEXT, format: 'regex', description: 'line that it prints before' },
        fails: { ...TEXT, format: 'regex', description: 'line about a part that failed' },
        later: { ...TEXT, description: 'how to do it later' },
      },
    },
  },
} as const;

const STEPS = { type: 'array', minItems: 1, items: STEP } as const;
const VARIABLE_NAME = { type: 'string', pattern: String.raw`^[A-Za-z_]\w*$` } as const;
const GROUPS = 'by the names of the groups of line';

const LISTED = {
  type: 'object',
  additionalProperties: false,
  required: ['argv', 'line', 'is', 'holds'],
  description: 'command that lists what the tool has created',
  properties: {
    argv: ARGV,
    line: { ...TEXT, format: 'regex', description: 'regular expression for one item of its output, with named groups' },
    is: { type: 'object', minProperties: 1, additionalProperties: TEXT, description: `identifies ours, ${GROUPS}` },
    not: { type: 'object', additionalProperties: TEXT, description: `excludes others, ${GROUPS}` },
    sameUrl: { ...TEXT, description: 'group whose URL also identifies ours, whatever its name' },
    holds: { type: 'object', additionalProperties: PLACE, description: `options that it must match, ${GROUPS}` },
  },
} as const;

export const TOOL = {
  type: 'array',
  description: 'commands of its own tool before the first start, besides the schema, in this order',
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
        description: 'default value of {name} in an argument',
      },
      variables: {
        type: 'array',
        description: 'values from the environment, or from a file named by NAME_FILE',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['name'],
          properties: {
            name: VARIABLE_NAME,
            otherwise: { type: 'array', items: VARIABLE_NAME, description: 'alternative places' },
            default: TEXT,
            secret: { const: true },
            url: { const: true },
            required: { const: true },
          },
        },
      },
      throwawayKeys: {
        type: 'array',
        items: VARIABLE_NAME,
        description: 'variables set to a temporary directory of Fernet keys, for a command that encrypts nothing',
      },
      done: {
        description: 'how completion is detected',
        oneOf: [
          {
            type: 'object',
            additionalProperties: false,
            required: ['listed', 'update'],
            properties: { listed: LISTED, update: { ...STEPS, description: 'command when it exists and differs' } },
          },
          {
            type: 'object',
            additionalProperties: false,
            required: ['once'],
            properties: {
              once: { enum: ['release', 'ever'], description: 'by our record' },
              fills: { type: 'string', pattern: String.raw`^\w+$`, description: 'table that is empty until then' },
            },
          },
        ],
      },
    },
  },
} as const;
