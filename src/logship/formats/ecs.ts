import { defined } from '../../core/defined.ts';
import type { Field } from '../tables/items.ts';
import { loggerOf, undotted, type FileOrigin } from './origin.ts';

const ECS_VERSION = '8.17.0';

/** ECS names for Kolla's fields. Other fields become labels, as ECS requires for unknown fields. */
const NAMES: Readonly<Record<string, string>> = {
  Payload: 'message',
  log_level: 'log.level',
  LogLevel: 'log.level',
  Pid: 'process.pid',
  python_module: 'log.logger',
  module: 'log.logger',
  request_id: 'http.request.id',
  user_id: 'user.id',
  user: 'user.name',
  User: 'user.name',
  Address: 'source.address',
  client: 'source.address',
  client_port: 'source.port',
  method: 'http.request.method',
  path: 'url.original',
  status: 'http.response.status_code',
  bytes: 'http.response.bytes',
  referer: 'http.request.referrer',
  agent: 'user_agent.original',
  Hostname: 'host.name',
  programname: 'service.name',
  facility: 'log.syslog.facility.name',
  message_id: 'log.syslog.msgid',
};
const NUMBERS = new Set(['process.pid', 'http.response.status_code', 'http.response.bytes', 'source.port']);
/** Fields whose value is already in `@timestamp`. */
const TIMES = new Set(['Timestamp', 'timestamp']);

interface EcsField {
  readonly name: string;
  readonly isNumber: boolean;
  /** The power of ten between Kolla's unit and that of ECS. */
  readonly shift?: number;
  /** A prefix that ECS does not have. */
  readonly prefix?: string;
}

/** The field of Elastic Common Schema 8 for a field of Kolla's schema; undefined if it has none. */
export function ecsField(kolla: string, { ecs }: Field): EcsField | undefined {
  if (TIMES.has(kolla)) return undefined;
  // Microseconds; ECS has nanoseconds.
  if (ecs === undefined && kolla === 'duration_us') return { name: 'event.duration', isNumber: true, shift: 3 };
  if (ecs === undefined && kolla === 'protocol') return { name: 'http.version', isNumber: false, prefix: 'HTTP/' };
  const name = ecs ?? (Object.hasOwn(NAMES, kolla) ? NAMES[kolla]! : `labels.${kolla}`);
  return { name, isNumber: NUMBERS.has(name) };
}

/** What the documents of a file have in common. */
export function ecsMembers({ hostname, pod, namespace, node, container, labels, path, kind }: FileOrigin) {
  const inPod = pod === undefined && namespace === undefined ? undefined : 'kubernetes';
  const named = Object.entries(undotted(labels) ?? {}).map(([name, value]) => [`kubernetes.labels.${name}`, value]);
  return {
    ...defined({
      'ecs.version': ECS_VERSION,
      'host.name': hostname,
      'service.name': kind.program,
      'service.type': loggerOf(kind) ?? kind.directory,
      'event.dataset': kind.format,
      'log.file.path': path,
      'orchestrator.type': inPod,
      'orchestrator.namespace': namespace,
      'kubernetes.pod.name': pod,
      'kubernetes.namespace': namespace,
      'kubernetes.node.name': node,
      'container.name': container,
    }),
    ...(Object.fromEntries(named) as Readonly<Record<string, string>>),
  };
}
