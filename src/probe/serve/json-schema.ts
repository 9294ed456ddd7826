import { CHECK_DEFAULTS, CHECK_NAME, MOST_FAILURES } from './config.ts';
import { ROLES } from './part.ts';

const DURATION = { type: 'string', pattern: String.raw`^(0|(\d+(\.\d+)?(ms|s|m|h|d))+)$` } as const;
const ROLE = { enum: ROLES } as const;

/** The `checks` section for editors: the same keys as readChecks() reads. */
export const CHECKS_JSON_SCHEMA = {
  type: 'object',
  description: 'The named checks that kolla-probe serve asks all the time.',
  propertyNames: { pattern: CHECK_NAME, not: ROLE },
  additionalProperties: {
    type: 'object',
    additionalProperties: false,
    required: ['run'],
    properties: {
      run: {
        description: 'the check, as on the command line after kolla-probe; no shell reads it',
        anyOf: [
          { type: 'string', minLength: 1 },
          { type: 'array', minItems: 1, items: { type: ['string', 'number', 'boolean'] } },
        ],
        examples: ['http http://127.0.0.1:5000/v3', ['tcp', '127.0.0.1:5000']],
      },
      for: {
        description: 'the probes that it decides; none: it is only shown',
        default: CHECK_DEFAULTS.for,
        anyOf: [ROLE, { type: 'array', items: ROLE }],
      },
      period: { ...DURATION, description: 'from one asking to the next', default: CHECK_DEFAULTS.period },
      timeout: { ...DURATION, description: 'unhealthy without an answer by then', default: CHECK_DEFAULTS.timeout },
      failures: {
        type: 'integer',
        minimum: 1,
        maximum: MOST_FAILURES,
        description: 'so many in succession make it unhealthy',
        default: CHECK_DEFAULTS.failures,
      },
      'allow-remote': { type: 'boolean', description: 'let liveness ask other pods', default: false },
    },
  },
} as const;
