import type { Format, Schema } from './format.ts';
import { fieldsOf, given, loggerOf, PARSE_ERROR, undotted, type FileOrigin } from './schema.ts';

/**
 * The names that Kolla's fluentd gives, which today's dashboards know. The pod's come as `kubernetes`, as fluentd's own
 * filter names them.
 */
export function kollaSchema(format: Format, origin: FileOrigin): Schema {
  const { hostname, pod, namespace, node, container, labels, kind } = origin;
  const file = {
    Hostname: hostname,
    Logger: loggerOf(kind),
    programname: kind.program,
    kubernetes: given({
      pod_name: pod,
      namespace_name: namespace,
      host: node,
      container_name: container,
      labels: undotted(labels),
    }),
  };
  const tail = `,${JSON.stringify(file).slice(1)}`;
  return {
    format,
    document(event, time) {
      const json = event.isDated ? format.json?.(event.text, `{"@timestamp":"${time}",`, tail) : undefined;
      if (json !== undefined) return json;
      const { fields, isUnreadable } = fieldsOf(format, event);
      const mark = isUnreadable ? `,"${PARSE_ERROR}":true` : '';
      // Of a line that names its own host or program, that counts.
      if ('Hostname' in fields || 'programname' in fields)
        return JSON.stringify({
          '@timestamp': time,
          ...file,
          ...fields,
          ...(kind.format === 'haproxy' && { programname: kind.program }),
        });
      return `{"@timestamp":"${time}",${JSON.stringify(fields).slice(1, -1)}${mark}${tail}`;
    },
  };
}
