import { IDENTITY, KEYS, QUEUE } from './json-schema-bootstrap.ts';
import { ARGV, CODE_KEY, PATH, PLACE, STEP, TEXT, TOOL } from './json-schema-tool.ts';
import { PHASES } from './service.ts';

/** A relative path without `..` and without what a pattern would match. */
export const SCRIPTS: RegExp = /^\w+(?:\/\w+)*$/;
const VERSIONS = {
  versionTable: { type: 'string', pattern: String.raw`^\w+$`, examples: ['alembic_version'] },
  scripts: {
    type: 'string',
    pattern: SCRIPTS.source,
    description: "its revisions, below the modules installed next to the tool: they prove the schema's version",
    examples: ['murano/db/migration/alembic_migrations/versions'],
  },
} as const;
const DATABASE = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: TEXT,
    url: {
      type: 'array',
      description: 'options of configFile with its URL; the first one set applies',
      items: PLACE,
    },
    optional: { const: true, description: 'absent if no URL is set' },
    ...VERSIONS,
    parts: {
      type: 'array',
      description: 'further version tables of the same tool',
      items: { type: 'object', additionalProperties: false, required: ['versionTable'], properties: VERSIONS },
    },
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
      description: 'meaning of each exit code: complete, the next phase, or unknown',
    },
  },
} as const;

const UPGRADE_CHECK = {
  type: 'object',
  additionalProperties: false,
  required: ['argv'],
  properties: {
    argv: ARGV,
    readsDatabase: { type: 'boolean', description: 'whether it looks at the database' },
    broken: { ...TEXT, description: 'regular expression of an output that shows a bug of the tool itself' },
    brokenBecause: { ...TEXT, description: 'why such an output says nothing, if it is no bug' },
    needs: { type: 'array', items: TEXT, description: 'programs that it calls' },
    scratch: {
      type: 'array',
      items: PLACE,
      description: 'options of directories that it writes to; it gets a temporary one',
    },
    moot: {
      type: 'object',
      additionalProperties: false,
      required: ['check', 'unless', 'environment'],
      description: 'one of its checks that means nothing while an option is off',
      properties: {
        check: { ...TEXT, description: 'as its table names it' },
        unless: PLACE,
        environment: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'variables with which that check contacts nothing',
        },
      },
    },
  },
} as const;

const PROBE = {
  type: 'object',
  additionalProperties: false,
  required: ['container', 'liveness', 'readiness'],
  properties: {
    container: TEXT,
    declared: { ...TEXT, description: 'its health check in Docker' },
    disabledSince: {
      type: 'integer',
      minimum: 1,
      description: 'first release of kolla-ansible that disables that check by default',
    },
    liveness: { ...TEXT, description: 'arguments of kolla-probe', examples: ['process nova-compute'] },
    readiness: { ...TEXT, description: 'arguments of kolla-probe', examples: ['connected nova-compute 5672'] },
    notes: TEXT,
  },
} as const;

/** JSON Schema of the `services` section: same keys as own.ts. */
export const SERVICES_JSON_SCHEMA = {
  type: 'object',
  description: 'Custom services for kolla-db-sync and kolla-bootstrap; one with a built-in name replaces it.',
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
          upgradeCheck: UPGRADE_CHECK,
        },
      },
      identity: IDENTITY,
      queue: QUEUE,
      keys: KEYS,
      tool: TOOL,
      probes: { type: 'array', items: PROBE, description: 'health check of each container' },
      notes: TEXT,
    },
  },
} as const;
