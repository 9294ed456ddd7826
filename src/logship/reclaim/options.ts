import type { Option } from '../../cli/option.ts';

/** What becomes of the disk that shipped lines take. */
export const RECLAIM_OPTIONS = [
  {
    flag: 'reclaim',
    type: 'choice',
    values: ['auto', 'on', 'off'],
    env: 'KOLLA_LOG_SHIP_RECLAIM',
    default: 'auto',
    help: 'give the disk of acknowledged lines back, by holes in their files (auto: where --root is an emptyDir)',
    example: 'off',
  },
  {
    flag: 'reclaim-keep',
    type: 'integer',
    env: 'KOLLA_LOG_SHIP_RECLAIM_KEEP',
    default: '8388608',
    help: 'so many acknowledged bytes of each file stay, for who looks at it',
    example: '1048576',
  },
] as const satisfies readonly Option[];
