import type { Option } from '../../cli/option.ts';

/** Which lock stands beside the fence row, and where its Lease is. */
export const LOCK_OPTIONS = [
  {
    flag: 'lock',
    type: 'choice',
    values: ['auto', 'lease', 'row'],
    env: 'KOLLA_DB_SYNC_LOCK',
    default: 'auto',
    help: "a Kubernetes Lease beside the row in the database, or the row alone; auto is the Lease where there is a --kubeconfig or the Pod's ServiceAccount is mounted",
    example: 'row',
  },
  {
    flag: 'lease-name',
    type: 'string',
    env: 'KOLLA_DB_SYNC_LEASE_NAME',
    help: 'the Lease is kolla-db-sync-NAME (default: the service); a second database of the same service, such as a Nova cell, needs its own',
    example: 'nova-cell2',
  },
] as const satisfies readonly Option[];

/** The way to the API server. */
export const KUBE_OPTIONS = [
  {
    flag: 'namespace',
    type: 'string',
    env: 'KOLLA_DB_SYNC_NAMESPACE',
    help: "where the Lease is (default: the Pod's own, or the kubeconfig's)",
    example: 'openstack',
  },
  {
    flag: 'kubeconfig',
    type: 'path',
    env: 'KUBECONFIG',
    help: "file with the API server and credentials; without one, the Pod's ServiceAccount",
    example: '/root/.kube/config',
  },
] as const satisfies readonly Option[];
