import type { Option } from '../cli/option.ts';
import { PARSE_OPTIONS } from './parse/options.ts';
import { READ_OPTIONS } from './read/options.ts';
import { RECLAIM_OPTIONS } from './reclaim/options.ts';
import { SERVE_OPTIONS } from './serve/options.ts';
import { SEND_OPTIONS, SINK_OPTIONS } from './sink/options.ts';
import { SYSLOG_OPTIONS } from './syslog/options.ts';

export const OPTIONS = [
  ...SINK_OPTIONS,
  ...SEND_OPTIONS,
  {
    flag: 'root',
    type: 'path',
    env: 'KOLLA_LOG_SHIP_ROOT',
    default: '/var/log/kolla',
    help: "the logs' folder, with a folder a service in it",
    example: '/var/log/kolla',
  },
  ...READ_OPTIONS,
  {
    flag: 'state',
    type: 'path',
    env: 'KOLLA_LOG_SHIP_STATE',
    help: 'folder for the checkpoint and dead letters (default: .kolla-log-ship in --root)',
    example: '/var/lib/kolla-log-ship',
  },
  {
    flag: 'source-id',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_SOURCE_ID',
    help: 'tells this source of logs from others (default: made once, kept in the state folder)',
    example: 'compute-1',
  },
  {
    flag: 'timezone',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_TIMEZONE',
    default: 'local',
    help: 'the zone that logs are written in: local, UTC, +02:00 or a name',
    example: 'Europe/Berlin',
  },
  {
    flag: 'hostname',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_HOSTNAME',
    help: "the documents' Hostname (default: --node, or this machine's name)",
    example: 'compute-1',
  },
  { flag: 'pod', type: 'string', env: 'POD_NAME', help: "the pod's name", example: 'keystone-7d9f-x2x1' },
  { flag: 'namespace', type: 'string', env: 'POD_NAMESPACE', help: "the pod's namespace", example: 'openstack' },
  { flag: 'node', type: 'string', env: 'NODE_NAME', help: "the node's name", example: 'compute-1' },
  ...PARSE_OPTIONS,
  {
    flag: 'once',
    type: 'boolean',
    env: 'KOLLA_LOG_SHIP_ONCE',
    help: 'ship what is there, wait until it is in, and end',
    example: 'true',
  },
  {
    flag: 'grace',
    type: 'duration',
    env: 'KOLLA_LOG_SHIP_GRACE',
    default: '20s',
    help: "after SIGTERM: how long to wait for the server; below the pod's terminationGracePeriodSeconds",
    example: '50s',
  },
  {
    flag: 'max-line-bytes',
    type: 'integer',
    env: 'KOLLA_LOG_SHIP_MAX_LINE_BYTES',
    default: '1048576',
    help: 'longer lines are cut there',
    example: '65536',
  },
  ...SYSLOG_OPTIONS,
  ...RECLAIM_OPTIONS,
  ...SERVE_OPTIONS,
] as const satisfies readonly Option[];
