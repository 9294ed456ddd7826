import { IDENTITY, KEYS, QUEUE } from './json-schema-bootstrap.ts';
import { ARGV, CODE_KEY, PATH, PLACE, STEP, TEXT, TOOL } from './json-schema-tool.ts';
import { PHASES } from './service.ts';

const DATABASE = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: TEXT,
    url: {
      type: 'array',
      description: 'where configFile has its URL; the first that is set counts',
      items: PLACE,
    },
    optional: { const: true, description: 'where no URL is set, there is none' },
    versionTable: { type: 'string', pattern: String.raw`^\w+$`, examples: ['alembic_version'] },
  },
} as const;
const CHECK = {
  type: 'object',
  additionalProperties: false,
  required: ['argv', 'codes'],
  properties: {
    argv: ARGV,
    codes: {
      type: 'object',
      additionalProperties: false,
      patternProperties: {
        [CODE_KEY]: { enum: ['complete', ...PHASES.filter((phase) => phase !== 'all'), 'error'] },
      },
      description: 'what each exit code means: nothing is left, that phase is the next, or it cannot tell',
    },
  },
} as const;

const PROBE = {
  type: 'object',
  additionalProperties: false,
  required: ['container', 'liveness', 'readiness'],
  properties: {
    container: TEXT,
    declared: { ...TEXT, description: 'the health check that it has in Docker' },
    liveness: { ...TEXT, description: 'words of kolla-probe', examples: ['process nova-compute'] },
    readiness: { ...TEXT, description: 'words of kolla-probe', examples: ['connected nova-compute 5672'] },
    notes: TEXT,
  },
} as const;

/** The `services` section for editors: the same keys as own.ts, which reads it. */
export const SERVICES_JSON_SCHEMA = {
  type: 'object',
  description: 'Services of your own, for kolla-db-sync and kolla-bootstrap; one of a built-in name takes its place.',
  propertyNames: { pattern: '^[a-z][a-z0-9-]{0,47}$' },
  additionalProperties: {
    type: 'object',
    additionalProperties: false,
    required: ['databases', 'migration'],
    properties: {
      summary: TEXT,
      configFile: { ...PATH, description: 'for oslo.config, or YAML', examples: ['/etc/keystone/keystone.conf'] },
      user: TEXT,
      databases: { type: 'array', items: DATABASE, description: 'the first one holds the lock and the record' },
      migration: {
        type: 'object',
        additionalProperties: false,
        required: ['phases'],
        properties: {
          phases: {
            type: 'object',
            additionalProperties: false,
            required: ['all'],
            properties: Object.fromEntries(PHASES.map((phase) => [phase, { type: 'array', minItems: 1, items: STEP }])),
          },
          check: CHECK,
        },
      },
      identity: IDENTITY,
      queue: QUEUE,
      keys: KEYS,
      tool: TOOL,
      probes: { type: 'array', items: PROBE, description: 'how each container is asked whether it is healthy' },
      notes: TEXT,
    },
  },
} as const;
