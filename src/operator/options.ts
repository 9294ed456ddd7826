import { KUBECONFIG_OPTION } from '../cli/kubeconfig-option.ts';
import type { Option } from '../cli/option.ts';

export const CONTROLLERS = ['openstack', 'service', 'workload'] as const;

/** Connection to the API server. */
export const KUBE_OPTIONS = [
  {
    flag: 'namespace',
    short: 'n',
    type: 'string',
    env: 'KOLLA_OPERATOR_NAMESPACE',
    help: 'namespace of the cloud (default: of the Pod or kubeconfig)',
    example: 'openstack',
  },
  KUBECONFIG_OPTION,
] as const satisfies readonly Option[];

export const OPERATOR_OPTIONS = [
  {
    flag: 'controllers',
    type: 'choice',
    values: CONTROLLERS,
    repeat: true,
    env: 'KOLLA_OPERATOR_CONTROLLERS',
    help: 'controller to run, repeatable (default: all)',
    details: 'Processes that run service share one Lease; others have one for their set of controllers.',
    example: 'service',
  },
  {
    flag: 'charts',
    type: 'string',
    env: 'KOLLA_OPERATOR_CHARTS',
    default: '/usr/share/kolla-pod/charts',
    help: 'directory of charts, or oci://REGISTRY/PATH',
    example: 'oci://registry.example.com/kolla-pod/charts',
  },
  {
    flag: 'helm',
    type: 'path',
    env: 'KOLLA_OPERATOR_HELM',
    default: 'helm',
    help: 'Helm 4 binary',
    example: '/usr/local/bin/helm',
  },
  {
    flag: 'helm-deadline',
    type: 'duration',
    env: 'KOLLA_OPERATOR_HELM_DEADLINE',
    default: '30s',
    help: "maximum time for Helm's own work, in addition to spec.timeout",
    details:
      'spec.timeout bounds each Job before an upgrade; the sum bounds the whole run, and starts again with each Job. ' +
      'Afterwards Helm is killed, and tried again with backoff.',
    example: '2m',
  },
  {
    flag: 'helm-memory-bytes',
    type: 'integer',
    env: 'KOLLA_OPERATOR_HELM_MEMORY_BYTES',
    default: '201326592',
    help: 'resident memory of one Helm above which it is killed',
    example: '536870912',
  },
  {
    flag: 'directory',
    type: 'path',
    env: 'KOLLA_OPERATOR_DIRECTORY',
    help: "directory for Helm's cache, best in memory (default: a temporary one)",
    example: '/run/kolla-operator',
  },
  {
    flag: 'max-concurrent-reconciles',
    type: 'integer',
    env: 'KOLLA_OPERATOR_MAX_CONCURRENT_RECONCILES',
    default: '4',
    help: 'services reconciled at the same time',
    example: '8',
  },
  {
    flag: 'listen',
    type: 'string',
    env: 'KOLLA_OPERATOR_LISTEN',
    help: '[ADDRESS:]PORT for /livez, /readyz and /metrics (default: none)',
    example: '9809',
  },
  {
    flag: 'stall-timeout',
    type: 'duration',
    env: 'KOLLA_OPERATOR_STALL_TIMEOUT',
    default: '10m',
    help: 'maximum time for a turn of an object besides Helm',
    details:
      'Afterwards, or if a watch shows no sign of life for so long (at least 5m), /livez fails, the Lease is released and ' +
      'the process exits.',
    example: '30m',
  },
  ...KUBE_OPTIONS,
] as const satisfies readonly Option[];
