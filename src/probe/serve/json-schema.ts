import { CHECK_DEFAULTS, CHECK_NAME, MOST_FAILURES } from './config.ts';
import { ROLES } from './part.ts';

const DURATION = { type: 'string', pattern: String.raw`^(0|(\d+(\.\d+)?(ms|s|m|h|d))+)$` } as const;
const ROLE = { enum: ROLES } as const;

/** JSON Schema of the `checks` section, with the same keys as readChecks(). */
export const CHECKS_JSON_SCHEMA = {
  type: 'object',
  description: 'named checks that kolla-probe serve runs continuously',
  propertyNames: { pattern: CHECK_NAME, not: ROLE },
  additionalProperties: {
    type: 'object',
    additionalProperties: false,
    required: ['run'],
    properties: {
      run: {
        description: 'the check, as arguments of kolla-probe; run without a shell',
        anyOf: [
          { type: 'string', minLength: 1 },
          { type: 'array', minItems: 1, items: { type: ['string', 'number', 'boolean'] } },
        ],
        examples: ['http http://127.0.0.1:5000/v3', ['tcp', '127.0.0.1:5000']],
      },
      for: {
        description: 'probes that it affects; if empty, none',
        default: CHECK_DEFAULTS.for,
        anyOf: [ROLE, { type: 'array', items: ROLE }],
      },
      period: { ...DURATION, description: 'interval between two runs', default: CHECK_DEFAULTS.period },
      timeout: { ...DURATION, description: 'unhealthy when it takes longer', default: CHECK_DEFAULTS.timeout },
      failures: {
        type: 'integer',
        minimum: 1,
        maximum: MOST_FAILURES,
        description: 'consecutive failures that make it unhealthy',
        default: CHECK_DEFAULTS.failures,
      },
      'allow-remote': {
        type: 'boolean',
        description: 'allow liveness to depend on other Pods',
        default: false,
      },
    },
  },
} as const;
