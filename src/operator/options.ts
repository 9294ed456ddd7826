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
    help: 'Helm 3 binary',
    example: '/usr/local/bin/helm',
  },
  {
    flag: 'directory',
    type: 'path',
    env: 'KOLLA_OPERATOR_DIRECTORY',
    default: '/tmp',
    help: "writable directory for Helm's cache, best in memory",
    example: '/run/kolla-operator',
  },
  {
    flag: 'at-once',
    type: 'integer',
    env: 'KOLLA_OPERATOR_AT_ONCE',
    default: '4',
    help: 'services reconciled at the same time',
    example: '8',
  },
  ...KUBE_OPTIONS,
] as const satisfies readonly Option[];
