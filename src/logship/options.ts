import { grouped, type Option } from '../cli/option.ts';
import { PARSE_OPTIONS } from './parse/options.ts';
import { SEND_OPTIONS, SINK_OPTIONS } from './sink/options.ts';

/** Which lines are read, and from where on. */
const FILE_OPTIONS = [
  {
    flag: 'root',
    type: 'path',
    env: 'KOLLA_LOG_SHIP_ROOT',
    default: '/var/log/kolla',
    help: "the logs' folder, with a folder a service in it",
    example: '/var/log/kolla',
  },
  {
    flag: 'exclude',
    type: 'string',
    repeat: true,
    env: 'KOLLA_LOG_SHIP_EXCLUDE',
    help: 'leaves out files that match: of names without a slash, else of paths below --root',
    example: '*-access.log',
  },
  {
    flag: 'from',
    type: 'choice',
    values: ['beginning', 'end'],
    env: 'KOLLA_LOG_SHIP_FROM',
    default: 'beginning',
    help: 'at the very first start: end leaves out what lies there already',
    example: 'end',
  },
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
] as const satisfies readonly Option[];

/** The origin of the lines, for every document. */
const ORIGIN_OPTIONS = [
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
] as const satisfies readonly Option[];

const RUN_OPTIONS = [
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
  {
    flag: 'syslog',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_SYSLOG',
    help: 'take syslog here, write it to haproxy/haproxy.log or syslog/PROGRAM.log in --root, and ship it from there',
    example: 'udp://127.0.0.1:5140',
  },
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
  {
    flag: 'listen',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_LISTEN',
    help: '[ADDRESS:]PORT for /livez, /readyz and /metrics (default: none; kolla-sidecar answers on its own port)',
    example: '9809',
  },
  {
    flag: 'host-network',
    type: 'boolean',
    env: 'KOLLA_LOG_SHIP_HOST_NETWORK',
    help: 'the pod uses the host network: show reasons to no client, since every user of the node can connect by loopback',
    example: 'true',
  },
] as const satisfies readonly Option[];

export const OPTIONS = [
  ...grouped('Destination', SINK_OPTIONS, ['to', 'url', 'user', 'password-file', 'ca-file', 'index-prefix']),
  ...grouped('Files', FILE_OPTIONS, ['root', 'exclude', 'state']),
  ...grouped('Parsing', PARSE_OPTIONS, ['schema', 'format']),
  ...grouped('Origin', ORIGIN_OPTIONS, ['timezone']),
  ...grouped('Delivery', SEND_OPTIONS, []),
  ...grouped('Running', RUN_OPTIONS, ['once', 'listen', 'syslog']),
] as const satisfies readonly Option[];
