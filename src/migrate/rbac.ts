import { command } from '../cli/command.ts';
import { ExitCode } from '../core/errors.ts';
import { outputOption } from '../cli/output-option.ts';
import { namedAccount, rolesFor, rolesYaml, type Grant } from '../kube/rbac.ts';
import { knownServices } from '../catalog/index.ts';
import { checkNamespace, leaseGrants, leaseNameOf } from './lease/index.ts';
import { rolloutGrants } from './rollout/grants.ts';
import { parseWorkload } from '../kube/rollout-kinds.ts';
import { ROLLOUT_OPTIONS } from './options/rollout.ts';
import { SIDECAR_OPTIONS } from './options/options.ts';
import { serviceOf } from './plan/service-of.ts';

const [AFTER_ROLLOUT] = ROLLOUT_OPTIONS;
const [STAY] = SIDECAR_OPTIONS;

/** Prints the permissions of kolla-db-sync: the Lease used as a lock, and the objects of --after-rollout. */
export const rbacCommand = command({
  isForPeople: true,
  summary: 'Prints the minimal Role and binding that a migration needs.',
  description:
    'Writes nothing and contacts no cluster. Access to the Lease and workloads is limited by resourceNames. RBAC ' +
    "can't limit `create`, or lists of Pods, ReplicaSets and ControllerRevisions by label, so these cover the " +
    'namespace. Pipe it to kubectl apply -f -.',
  operands: [{ name: 'SERVICE', help: 'a service from `kolla-pod catalogue` or kolla-pod.yaml' }],
  options: [
    {
      flag: 'namespace',
      short: 'n',
      type: 'string',
      env: 'KOLLA_DB_SYNC_NAMESPACE',
      default: 'default',
      help: 'namespace of the Pod and the Lease',
      example: 'openstack',
    },
    {
      flag: 'service-account',
      type: 'string',
      env: 'KOLLA_DB_SYNC_RBAC_SERVICE_ACCOUNT',
      help: 'ServiceAccount that the binding refers to',
      details: 'It must exist already.',
      example: 'keystone-db-sync',
    },
    {
      flag: 'lease-name',
      type: 'string',
      env: 'KOLLA_DB_SYNC_LEASE_NAME',
      help: 'same as for kolla-db-sync (default: the service)',
      example: 'nova-cell2',
    },
    AFTER_ROLLOUT,
    STAY,
    outputOption('KOLLA_DB_SYNC_RBAC_OUTPUT', 'yaml', 'output format: YAML documents, or one List'),
  ],
  examples: [
    {
      line: 'kolla-db-sync rbac keystone -n openstack --service-account keystone-db-sync',
      does: 'the Role and its binding, for kubectl apply -f -',
    },
    {
      line: 'kolla-db-sync rbac keystone --after-rollout deployment/keystone -n openstack --service-account keystone-db-sync',
      does: 'also for the `contract` and `online` phases',
    },
    {
      line: 'kolla-db-sync rbac keystone --stay -n openstack --service-account keystone',
      does: 'for a sidecar, which reads its own Pod',
    },
    {
      line: 'kolla-db-sync rbac nova --lease-name nova-cell2 --service-account nova-db-sync -o json',
      does: 'for a second cell, as JSON',
    },
  ],
  async run({ operands: [name = ''], options }, { stdout, podFile }) {
    const { namespace, serviceAccount, leaseName, afterRollout, stay, output } = options;
    serviceOf(name, await knownServices(podFile));
    checkNamespace(namespace);
    const account = namedAccount(serviceAccount);
    const lease = leaseNameOf(name, leaseName);
    const grants: Grant[] = [
      ...leaseGrants(namespace, lease),
      ...rolloutGrants(
        afterRollout.map((text) => parseWorkload(text, '--after-rollout')),
        namespace,
      ),
      ...(stay ? [ownPodGrant(namespace)] : []),
    ];
    // Several services, and several accounts of one service, may share a namespace.
    const role = `kolla-db-sync-${lease}-${account}`;
    const subject = { kind: 'ServiceAccount', name: account, namespace } as const;
    const items = rolesFor(grants, subject, { role, clusterRole: role });
    if (output === 'json') stdout(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 2)}\n`);
    else stdout(rolesYaml(items));
    return ExitCode.ok;
  },
});

/** Each replica has its own name, so the Role cannot list the names. */
function ownPodGrant(namespace: string): Grant {
  return { namespace, rule: { group: '', resource: 'pods', verbs: ['get'] } };
}
