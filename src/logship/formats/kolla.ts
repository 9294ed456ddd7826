import { defined } from '../../core/defined.ts';
import { given, loggerOf, undotted, type FileOrigin } from './origin.ts';

/**
 * What the documents of a file have in common with the names of Kolla's fluentd, used by existing dashboards. The Pod's metadata is
 * under `kubernetes`, as in fluentd's filter.
 */
export function kollaMembers({ hostname, pod, namespace, node, container, labels, kind }: FileOrigin) {
  return defined({
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
  });
}
