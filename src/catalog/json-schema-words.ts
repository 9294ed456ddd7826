/** What the schemas of a service are made of, for editors. */
export const TEXT = { type: 'string', minLength: 1 } as const;
export const PATH = { type: 'string', pattern: '^/' } as const;
export const ARGV = {
  type: 'array',
  minItems: 1,
  items: { type: ['string', 'number'] },
  description: 'a command line; no shell reads it',
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
    folder: { ...PATH, description: 'where it runs' },
    again: { type: 'array', items: CODE, description: 'exit codes that mean: some done, call again' },
    codes: {
      type: 'object',
      additionalProperties: false,
      patternProperties: { [CODE_KEY]: TEXT },
      description: 'what other exit codes mean',
    },
  },
} as const;
