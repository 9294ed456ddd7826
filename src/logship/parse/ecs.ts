import { defined } from '../../core/defined.ts';
import type { Fields, Format, Schema } from './format.ts';
import { fieldsOf, loggerOf, PARSE_ERROR, undotted, type FileOrigin } from './schema.ts';

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
const NANOSECONDS_PER_MICROSECOND = 1000;

/** Elastic Common Schema 8. */
export function ecsSchema(format: Format, origin: FileOrigin): Schema {
  const { hostname, pod, namespace, node, container, labels, path, kind } = origin;
  const inPod = pod === undefined && namespace === undefined ? undefined : 'kubernetes';
  const file: Fields = defined({
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
  });
  for (const [name, value] of Object.entries(undotted(labels) ?? {})) file[`kubernetes.labels.${name}`] = value;
  const tail = `,${JSON.stringify(file).slice(1)}`;
  return {
    format,
    document(event, time) {
      const { fields, isUnreadable } = fieldsOf(format, event);
      const named = ecsFields(fields);
      const trace = isUnreadable ? undefined : format.stackTrace?.(event.text);
      if (trace !== undefined) {
        named['error.stack_trace'] = trace;
        named['message'] = firstLine(String(fields['Payload']));
      }
      // A host or program named in the line takes precedence.
      if ('Hostname' in fields || 'programname' in fields)
        return JSON.stringify({
          '@timestamp': time,
          ...file,
          ...named,
          ...(isUnreadable && { tags: [PARSE_ERROR] }),
        });
      const mark = isUnreadable ? `,"tags":["${PARSE_ERROR}"]` : '';
      return `{"@timestamp":"${time}",${JSON.stringify(named).slice(1, -1)}${mark}${tail}`;
    },
  };
}

function ecsFields(fields: Fields): Fields {
  const named: Fields = {};
  for (const [name, value] of Object.entries(fields)) {
    if (TIMES.has(name)) continue;
    if (name === 'duration_us') named['event.duration'] = Number(value) * NANOSECONDS_PER_MICROSECOND;
    else if (name === 'protocol') named['http.version'] = String(value).replace('HTTP/', '');
    else {
      const ecs = NAMES[name] ?? `labels.${name}`;
      named[ecs] = NUMBERS.has(ecs) ? Number(value) : value;
    }
  }
  return named;
}

function firstLine(text: string): string {
  const newline = text.indexOf('\n');
  return newline === -1 ? text : text.slice(0, newline);
}
