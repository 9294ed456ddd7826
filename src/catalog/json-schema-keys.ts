import { ARGV, PATH, PLACE, TEXT } from './json-schema-words.ts';

const FIGURE = {
  type: 'object',
  additionalProperties: false,
  required: ['usual'],
  properties: {
    place: PLACE,
    usual: { type: 'integer', minimum: 0, maximum: 999_999_999, description: 'where configFile does not say' },
  },
} as const;

/** `keys` of a service for editors: the same keys as own-keys.ts, which reads it. */
export const KEYS = {
  type: 'array',
  description: 'folders of Fernet keys that its replicas share, each kept in a Secret',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'secret', 'folder', 'folderAt', 'keep'],
    properties: {
      name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,47}$', examples: ['fernet'] },
      secret: { ...TEXT, examples: ['keystone-fernet-keys'] },
      folder: { ...PATH, description: 'where the service reads them' },
      folderAt: { ...PLACE, description: 'the option that says so' },
      keep: { ...FIGURE, description: 'how many a rotation leaves' },
      lifetime: {
        type: 'array',
        items: FIGURE,
        description: 'seconds that what a key has encrypted may be shown: their sum; none: for ever',
      },
      reencrypt: {
        ...ARGV,
        description: 'encrypts with the primary what others have; {config} and {overlay} are files',
      },
    },
  },
} as const;
