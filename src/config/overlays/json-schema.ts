import { DEFAULT_ALLOWED } from './overlay.ts';

const FILE = {
  type: 'string',
  pattern: '^/.*[^/]$',
  description: 'path, as in dest in config.json',
  examples: ['/etc/nova/nova.conf'],
};
const NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_]*$';

/** JSON Schema of the `overlays` section: same keys as the schema that validates it. */
export const OVERLAYS_JSON_SCHEMA = {
  type: 'object',
  description: "Per-Pod values from the container's environment, and passwords, in files shared by all Pods.",
  additionalProperties: false,
  properties: {
    allow: {
      type: 'array',
      description: 'environment variables that may be used',
      items: { type: 'string', pattern: NAME_PATTERN },
      default: [...DEFAULT_ALLOWED],
    },
    ini: {
      type: 'array',
      description: 'options to set in files for oslo.config',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['file', 'key', 'value'],
        properties: {
          file: FILE,
          section: { type: 'string', default: 'DEFAULT' },
          key: { type: 'string', examples: ['my_ip'] },
          value: {
            type: ['string', 'number', 'boolean'],
            description: 'value; $(NAME) stands for an environment variable',
            examples: ['$(POD_IP)'],
          },
        },
      },
    },
    text: {
      type: 'array',
      description: 'files in which $(NAME) is replaced',
      items: { type: 'object', additionalProperties: false, required: ['file'], properties: { file: FILE } },
    },
    passwords: {
      type: 'array',
      description: 'passwords in separate files, for $(password:NAME) in other files',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['file', 'name', 'source'],
        properties: {
          file: FILE,
          name: { type: 'string', pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]*$', examples: ['nova_database_password'] },
          source: {
            type: 'string',
            pattern: '^/.*[^/]$',
            description: 'where it is mounted',
            examples: ['/var/lib/kolla/config_files/.passwords/nova_database_password'],
          },
          secret: { type: 'string', description: 'name of its Secret, for messages' },
          key: { type: 'string', description: 'its key there, for messages' },
        },
      },
    },
  },
} as const;
