import { grouped, type Option } from '../cli/option.ts';
import { PARSE_OPTIONS } from './formats/options.ts';
import { SEND_OPTIONS, SINK_OPTIONS } from './sink/options.ts';

/** Options that select lines and where reading starts. */
const FILE_OPTIONS = [
  {
    flag: 'root',
    type: 'path',
    env: 'KOLLA_LOG_SHIP_ROOT',
    default: '/var/log/kolla',
    help: 'log directory with one subdirectory per service',
    example: '/var/log/kolla',
  },
  {
    flag: 'exclude',
    type: 'string',
    repeat: true,
    env: 'KOLLA_LOG_SHIP_EXCLUDE',
    help: 'pattern for files to leave out',
    details: 'Without a slash it matches names, otherwise paths relative to --root.',
    example: '*-access.log',
  },
  {
    flag: 'from',
    type: 'choice',
    values: ['beginning', 'end'],
    env: 'KOLLA_LOG_SHIP_FROM',
    default: 'beginning',
    help: 'start position in existing files on first start',
    example: 'end',
  },
  {
    flag: 'state',
    type: 'path',
    env: 'KOLLA_LOG_SHIP_STATE',
    help: 'directory for checkpoint and dead letters (default: ROOT/.kolla-log-ship)',
    example: '/var/lib/kolla-log-ship',
  },
  {
    flag: 'source-id',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_SOURCE_ID',
    help: 'unique ID of this source (default: generated and stored in --state)',
    example: 'compute-1',
  },
] as const satisfies readonly Option[];

/** Options about the origin of lines, which is added to every document. */
const ORIGIN_OPTIONS = [
  {
    flag: 'timezone',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_TIMEZONE',
    default: 'local',
    help: 'time zone of the logs: local, UTC, +02:00 or NAME',
    example: 'Europe/Berlin',
  },
  {
    flag: 'hostname',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_HOSTNAME',
    help: '`Hostname` field in documents (default: --node, else the host name)',
    example: 'compute-1',
  },
  { flag: 'pod', type: 'string', env: 'POD_NAME', help: 'Pod name in documents', example: 'keystone-7d9f-x2x1' },
  { flag: 'namespace', type: 'string', env: 'POD_NAMESPACE', help: 'namespace in documents', example: 'openstack' },
  { flag: 'node', type: 'string', env: 'NODE_NAME', help: 'node name in documents', example: 'compute-1' },
] as const satisfies readonly Option[];

const RUN_OPTIONS = [
  {
    flag: 'once',
    type: 'boolean',
    env: 'KOLLA_LOG_SHIP_ONCE',
    help: 'exit when everything is shipped and acknowledged',
    example: 'true',
  },
  {
    flag: 'timeout',
    type: 'duration',
    env: 'KOLLA_LOG_SHIP_TIMEOUT',
    default: '5m',
    help: 'with --once: longest time without an accepted request',
    details: 'Then it exits with 75.',
    example: '30s',
  },
  {
    flag: 'grace',
    type: 'duration',
    env: 'KOLLA_LOG_SHIP_GRACE',
    default: '20s',
    help: 'time to flush after SIGTERM',
    details: "Must be less than the Pod's terminationGracePeriodSeconds.",
    example: '50s',
  },
  {
    flag: 'max-line-bytes',
    type: 'integer',
    env: 'KOLLA_LOG_SHIP_MAX_LINE_BYTES',
    default: '1048576',
    help: 'maximum line length; longer lines are truncated',
    example: '65536',
  },
  {
    flag: 'syslog',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_SYSLOG',
    help: 'address to receive syslog on',
    details: 'Messages are written to haproxy/haproxy.log or syslog/PROGRAM.log in --root, and shipped from there.',
    example: 'udp://127.0.0.1:5140',
  },
  {
    flag: 'reclaim',
    type: 'choice',
    values: ['auto', 'on', 'off'],
    env: 'KOLLA_LOG_SHIP_RECLAIM',
    default: 'auto',
    help: 'reclaim disk space of acknowledged lines (auto: on emptyDir)',
    details: 'Punches holes into the files. With --once, `auto` is `off`.',
    example: 'off',
  },
  {
    flag: 'reclaim-keep',
    type: 'integer',
    env: 'KOLLA_LOG_SHIP_RECLAIM_KEEP',
    default: '8388608',
    help: 'acknowledged bytes to keep in each file, for readers',
    example: '1048576',
  },
  {
    flag: 'listen',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_LISTEN',
    help: '[ADDRESS:]PORT for /livez, /readyz and /metrics (default: none)',
    details: "kolla-sidecar serves them on the sidecar's port.",
    example: '9809',
  },
  {
    flag: 'host-network',
    type: 'boolean',
    env: 'KOLLA_LOG_SHIP_HOST_NETWORK',
    help: 'hide reasons from all clients, for Pods with hostNetwork',
    details: 'With hostNetwork, every user of the node can connect over loopback.',
    example: 'true',
  },
] as const satisfies readonly Option[];

export const OPTIONS = [
  ...grouped('Destination', SINK_OPTIONS, ['to', 'url', 'user', 'password-file', 'tls', 'ca-file', 'index-prefix']),
  ...grouped('Files', FILE_OPTIONS, ['root', 'exclude', 'state']),
  ...grouped('Parsing', PARSE_OPTIONS, ['schema', 'format']),
  ...grouped('Origin', ORIGIN_OPTIONS, ['timezone']),
  ...grouped('Delivery', SEND_OPTIONS, []),
  ...grouped('Running', RUN_OPTIONS, ['once', 'listen', 'syslog']),
] as const satisfies readonly Option[];
