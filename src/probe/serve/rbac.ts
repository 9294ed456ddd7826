import { command } from '../../cli/command.ts';
import { ExitCode, UsageError } from '../../core/errors.ts';
import { outputOption } from '../../cli/output-option.ts';
import { NAME_RULES } from '../../kube/names.ts';
import { rolesFor, rolesYaml, type Grant } from '../../kube/rbac.ts';

/** Prints what the resident server may do at the API server: leave Events, and nothing else. */
export const rbacCommand = command({
  summary: 'Prints the Role and the binding for the Events that the resident server leaves on its own Pod.',
  description:
    'Nothing is written and no cluster is asked. Without the Role all else works: the refusal is said once. Feed it to kubectl apply -f -.',
  operands: [],
  options: [
    {
      flag: 'namespace',
      short: 'n',
      type: 'string',
      env: 'KOLLA_PROBE_NAMESPACE',
      default: 'default',
      help: "the Pod's namespace",
      example: 'openstack',
    },
    {
      flag: 'service-account',
      type: 'string',
      env: 'KOLLA_PROBE_RBAC_SERVICE_ACCOUNT',
      default: 'default',
      help: "the Pod's ServiceAccount, which the binding names; it is not made",
      example: 'keystone',
    },
    outputOption('KOLLA_PROBE_RBAC_OUTPUT', 'yaml', 'documents, or one List'),
  ],
  examples: [
    { line: 'kolla-probe rbac -n openstack --service-account keystone', does: 'for kubectl apply -f -' },
    { line: 'kolla-probe rbac -o json', does: 'for a program' },
  ],
  run({ options: { namespace, serviceAccount: name, output } }, { stdout }) {
    if (!NAME_RULES.label.is.test(namespace))
      throw new UsageError(`--namespace: '${namespace}' is no name of Kubernetes`);
    if (!NAME_RULES.subdomain.is.test(name))
      throw new UsageError(`--service-account: '${name}' is no name of Kubernetes`);
    const role = `kolla-probe-${name}`;
    const subject = { kind: 'ServiceAccount', name, namespace } as const;
    const items = rolesFor(eventGrants(namespace), subject, { role, clusterRole: role });
    if (output === 'json') stdout(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 2)}\n`);
    else stdout(rolesYaml(items));
    return Promise.resolve(ExitCode.ok);
  },
});

/** What Events on a Pod of this namespace need. create can't be held to a name. */
export function eventGrants(namespace: string): Grant[] {
  return [{ namespace, rule: { group: 'events.k8s.io', resource: 'events', verbs: ['create'] } }];
}
