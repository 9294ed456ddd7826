import type { Option } from '../../cli/option.ts';

/** Connection to the API server, and the namespace of the cloud. */
export const CLOUD_OPTIONS = [
  {
    flag: 'namespace',
    short: 'n',
    type: 'string',
    env: 'KOLLA_POD_NAMESPACE',
    help: 'namespace of the cloud (default: of the Pod or kubeconfig)',
    example: 'openstack',
  },
  {
    flag: 'kubeconfig',
    type: 'path',
    env: 'KUBECONFIG',
    help: "kubeconfig file (default: use the Pod's ServiceAccount)",
    example: '/root/.kube/config',
  },
] as const satisfies readonly Option[];
