import { ARGV, PATH, PLACE, TEXT } from './json-schema-tool.ts';
import { INTERFACES } from './service.ts';

const NAMES = { type: 'array', items: TEXT } as const;
const GRANT = {
  type: 'object',
  required: ['role'],
  additionalProperties: false,
  properties: { role: TEXT, project: TEXT, domain: TEXT, system: { const: 'all' } },
  oneOf: ['project', 'domain', 'system'].map((target) => ({ required: [target] })),
};
const IDENTITY_USER = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'grants'],
  properties: {
    name: TEXT,
    domain: { ...TEXT, description: 'default: Default' },
    grants: { type: 'array', items: GRANT },
    places: {
      type: 'object',
      additionalProperties: false,
      required: ['password'],
      properties: { name: PLACE, password: PLACE, domain: PLACE, project: PLACE, projectDomain: PLACE },
      description: "options of configFile with the service's Keystone account",
    },
  },
};
const ENDPOINT = {
  type: 'object',
  additionalProperties: false,
  required: ['port', 'path'],
  properties: {
    port: { type: 'integer', minimum: 1, maximum: 65_535 },
    path: { type: 'string', pattern: '^(/.*)?$', examples: ['', '/v3/%(project_id)s'] },
  },
};
/** Schema of a service's `identity:`, as in own-bootstrap.ts. */
export const IDENTITY = {
  type: 'object',
  additionalProperties: false,
  description: 'objects required in Keystone',
  properties: {
    domains: { ...NAMES, description: 'in addition to Default' },
    roles: { ...NAMES, description: 'required by its policies' },
    users: { type: 'array', items: IDENTITY_USER },
    services: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'type', 'description', 'endpoints'],
        properties: {
          name: TEXT,
          type: TEXT,
          description: TEXT,
          endpoints: {
            type: 'object',
            additionalProperties: false,
            properties: Object.fromEntries(INTERFACES.map((name) => [name, ENDPOINT])),
          },
        },
      },
    },
  },
};
/** Schema of a service's `queue:`. */
export const QUEUE = {
  type: 'object',
  additionalProperties: false,
  required: ['vhost', 'user', 'url'],
  description: 'objects required in RabbitMQ',
  properties: {
    vhost: TEXT,
    user: TEXT,
    url: { type: 'array', items: PLACE, description: 'options of configFile with its transport URL' },
    optional: { const: true, description: 'absent if no URL is set' },
  },
};

const FIGURE = {
  type: 'object',
  additionalProperties: false,
  required: ['usual'],
  properties: {
    place: PLACE,
    usual: { type: 'integer', minimum: 0, maximum: 999_999_999, description: 'if configFile has none' },
  },
} as const;

/** Schema of a service's `keys:`, as in own-bootstrap.ts. */
export const KEYS = {
  type: 'array',
  description: 'Fernet key directories shared by its replicas, each kept in a Secret',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'secret', 'directory', 'directoryAt', 'keep'],
    properties: {
      name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,47}$', examples: ['fernet'] },
      secret: { ...TEXT, examples: ['keystone-fernet-keys'] },
      directory: { ...PATH, description: 'directory read by the service' },
      directoryAt: { ...PLACE, description: 'option that sets it' },
      keep: { ...FIGURE, description: 'number of keys kept by a rotation' },
      lifetime: {
        type: 'array',
        items: FIGURE,
        description: 'seconds that data encrypted with a key may remain in use: their sum; none: forever',
      },
      reencrypt: {
        ...ARGV,
        description: 're-encrypts data of other keys with the primary; {config} and {overlay} are files',
      },
    },
  },
} as const;
