import type { Format, Schema } from './format.ts';
import { fieldsOf, given, loggerOf, PARSE_ERROR, undotted, type FileOrigin } from './schema.ts';

/**
 * Field names of Kolla's fluentd, used by existing dashboards. The Pod's metadata is under `kubernetes`, as in
 * fluentd's filter.
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
    tail,
    document(event, time) {
      const json = event.isDated ? format.json?.(event.text, `{"@timestamp":"${time}",`, tail) : undefined;
      if (json !== undefined) return json;
      const { fields, isUnreadable } = fieldsOf(format, event);
      const mark = isUnreadable ? `,"${PARSE_ERROR}":true` : '';
      // A host or program that the line names takes precedence.
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
