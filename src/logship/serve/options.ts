import type { Option } from '../../cli/option.ts';

/** Where is told how shipping stands. */
export const SERVE_OPTIONS = [
  {
    flag: 'listen',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_LISTEN',
    help: '[ADDRESS:]PORT for /livez, /readyz and /metrics (default: none; kolla-sidecar answers on its own port)',
    example: '9809',
  },
] as const satisfies readonly Option[];
