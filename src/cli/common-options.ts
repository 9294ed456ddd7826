import type { Option } from './option.ts';
import { LEVELS } from '../core/log.ts';

/** Options common to all commands. In kolla-pod.yaml they are at the top level. */
export const COMMON_OPTIONS = [
  {
    flag: 'config',
    type: 'path',
    env: 'KOLLA_POD_CONFIG',
    help: 'file with options (default: /etc/kolla-pod/kolla-pod.yaml)',
    example: '/etc/kolla-pod/kolla-pod.yaml',
  },
  {
    flag: 'log-level',
    type: 'choice',
    values: LEVELS,
    env: 'KOLLA_POD_LOG_LEVEL',
    default: 'info',
    help: 'minimum log level',
    example: 'debug',
  },
  {
    flag: 'log-format',
    type: 'choice',
    values: ['auto', 'json', 'text'],
    env: 'KOLLA_POD_LOG_FORMAT',
    default: 'auto',
    help: 'log format; auto is text for people, JSON in Pods',
    example: 'json',
  },
  {
    flag: 'termination-log',
    type: 'path',
    env: 'KOLLA_POD_TERMINATION_LOG',
    default: '/dev/termination-log',
    help: 'file to write the last error to, if it exists',
    example: '/dev/termination-log',
  },
] as const satisfies readonly Option[];

export const DEFAULT_CONFIG_FILE = '/etc/kolla-pod/kolla-pod.yaml';
