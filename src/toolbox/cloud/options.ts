import { KUBECONFIG_OPTION } from '../../cli/kubeconfig-option.ts';
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
  { ...KUBECONFIG_OPTION, help: 'kubeconfig file (default: the ServiceAccount, else ~/.kube/config)' },
  {
    flag: 'context',
    type: 'string',
    env: 'KOLLA_POD_CONTEXT',
    help: 'context of the kubeconfig (default: the current one)',
    example: 'kind-kind',
  },
] as const satisfies readonly Option[];
