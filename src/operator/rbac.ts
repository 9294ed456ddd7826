import { command } from '../cli/command.ts';
import { outputOption } from '../cli/output-option.ts';
import { ExitCode } from '../core/errors.ts';
import { namedAccount, rolesFor, rolesYaml, type Grant } from '../kube/rbac.ts';
import { checkNamespace } from '../migrate/lease/index.ts';

/** Prints the permissions of kolla-operator. */
export const rbacCommand = command({
  isForPeople: true,
  summary: 'Prints the minimal Role and binding that the operator needs.',
  description:
    'Writes nothing and contacts no cluster. Covers the objects of these charts, in one namespace: to create a Role, ' +
    "the operator must have all of its permissions, so the charts' own Roles are included. Pipe it to kubectl apply -f -.",
  operands: [],
  options: [
    {
      flag: 'namespace',
      short: 'n',
      type: 'string',
      env: 'KOLLA_OPERATOR_NAMESPACE',
      default: 'default',
      help: 'namespace of the cloud and the operator',
      example: 'openstack',
    },
    {
      flag: 'service-account',
      type: 'string',
      env: 'KOLLA_OPERATOR_RBAC_SERVICE_ACCOUNT',
      default: 'kolla-operator',
      help: 'ServiceAccount that the binding refers to',
      example: 'kolla-operator',
    },
    outputOption('KOLLA_OPERATOR_RBAC_OUTPUT', 'yaml', 'output format: YAML documents, or one List'),
  ],
  examples: [
    { line: 'kolla-operator rbac -n openstack', does: 'the Role and its binding, for kubectl apply -f -' },
    { line: 'kolla-operator rbac -n openstack --service-account operator -o json', does: 'the same, as JSON' },
  ],
  async run({ options }, { stdout }) {
    const { namespace, serviceAccount, output } = options;
    checkNamespace(namespace);
    const account = namedAccount(serviceAccount);
    // With the table of the controllers, whose packages no other start needs.
    const { operatorGrants } = await import('./grants.ts');
    const grants: Grant[] = operatorGrants(namespace);
    const names = { role: 'kolla-operator', clusterRole: 'kolla-operator' };
    const items = rolesFor(grants, { kind: 'ServiceAccount', name: account, namespace }, names);
    if (output === 'json') stdout(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 2)}\n`);
    else stdout(rolesYaml(items));
    return ExitCode.ok;
  },
});
