import { KUBECONFIG_OPTION } from '../../cli/kubeconfig-option.ts';
import type { Option } from '../../cli/option.ts';

/** The lock backend in addition to the fence row, and the location of its Lease. */
export const LOCK_OPTIONS = [
  {
    flag: 'lock',
    type: 'choice',
    values: ['auto', 'lease', 'row'],
    env: 'KOLLA_DB_SYNC_LOCK',
    default: 'auto',
    help: 'lock backend: Lease and database row, or row only',
    details: "auto uses the Lease if --kubeconfig is set or the Pod's ServiceAccount is mounted.",
    example: 'row',
  },
  {
    flag: 'lease-name',
    type: 'string',
    env: 'KOLLA_DB_SYNC_LEASE_NAME',
    help: 'Lease name without the prefix kolla-db-sync- (default: the service)',
    details: 'A second database of the same service, such as a Nova cell, needs its own Lease.',
    example: 'nova-cell2',
  },
] as const satisfies readonly Option[];

/** Connection to the API server. */
export const KUBE_OPTIONS = [
  {
    flag: 'namespace',
    type: 'string',
    env: 'KOLLA_DB_SYNC_NAMESPACE',
    help: 'namespace of the Lease (default: of the Pod or kubeconfig)',
    example: 'openstack',
  },
  KUBECONFIG_OPTION,
] as const satisfies readonly Option[];
