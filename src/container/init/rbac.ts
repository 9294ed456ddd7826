/**
 * kolla-init rbac: the Roles needed by waits.
 *
 *   --wait ... -> dependencies -> their API accesses -> a Role and a binding per namespace, a ClusterRole for
 *   cluster-scoped resources -> YAML for kubectl apply, or JSON
 *
 * Contacts no cluster: names of custom resources are guessed, with a warning. 64: an invalid wait.
 */
import { command } from '../../cli/command.ts';
import { ExitCode, UsageError } from '../../core/errors.ts';
import { outputOption } from '../../cli/output-option.ts';
import { accessOf } from '../../wait/index.ts';
import { NAME_RULES } from '../../kube/names.ts';
import { namedAccount, rolesFor, rolesYaml, type Grant } from '../../kube/rbac.ts';
import { OPTIONS } from './options.ts';
import { dependenciesOf } from './waits.ts';

const [WAIT_OPTION] = OPTIONS;

const EVENTS = { group: 'events.k8s.io', resource: 'events', verbs: ['create'] } as const;

export const rbacCommand = command({
  isForPeople: true,
  summary: 'Prints the minimal Roles and bindings that waits need.',
  description:
    'Writes nothing and contacts no cluster. Uses resourceNames wherever RBAC can restrict a watch ' +
    'to names; one Role per namespace, a ClusterRole for nodes. Pipe it to kubectl apply -f -. Waits for ' +
    'servers and files need no Role.',
  operands: [],
  options: [
    WAIT_OPTION,
    {
      flag: 'service-account',
      type: 'string',
      env: 'KOLLA_INIT_RBAC_SERVICE_ACCOUNT',
      help: 'ServiceAccount that the bindings refer to',
      details: 'It must exist already.',
      example: 'keystone',
    },
    {
      flag: 'namespace',
      short: 'n',
      type: 'string',
      env: 'KOLLA_INIT_RBAC_NAMESPACE',
      default: 'default',
      help: "Pod's namespace, for waits without @NAMESPACE",
      example: 'openstack',
    },
    {
      flag: 'pod-name',
      type: 'string',
      env: 'KOLLA_INIT_RBAC_POD_NAME',
      help: "Pod's name, if it is fixed",
      details: 'Used for container/, node=own and daemonset/; Pods of a Deployment have no fixed name.',
      example: 'keystone-bootstrap-x7k2p',
    },
    {
      flag: 'events',
      type: 'boolean',
      env: 'KOLLA_INIT_RBAC_EVENTS',
      help: 'add permission to create an Event when a wait fails',
      example: 'true',
    },
    outputOption('KOLLA_INIT_RBAC_OUTPUT', 'yaml', 'output format: YAML documents, or one List'),
  ],
  examples: [
    {
      line: 'kolla-init rbac --wait job/keystone-db-sync --wait service/mariadb -n openstack --service-account keystone',
      does: 'the Role and its binding, for kubectl apply -f -',
    },
    {
      line: 'kolla-init rbac --wait node?label=role=network --events --service-account nova -o json',
      does: 'a ClusterRole, and permission for Events, as JSON',
    },
  ],
  async run({ options }, { log, stdout }) {
    const { wait, serviceAccount, namespace, podName, events, output } = options;
    if (wait.length === 0) throw new UsageError('--wait: needs a dependency; see kolla-init rbac --help');
    checkName('--namespace', namespace, 'label');
    const account = namedAccount(serviceAccount);
    if (podName !== undefined) checkName('--pod-name', podName, 'subdomain');
    const { grants, guesses } = accessOf(await dependenciesOf(wait), namespace, podName);
    const all: Grant[] = events ? [...grants, { namespace, rule: EVENTS }] : [...grants];
    for (const guess of guesses) log.warn(guess);
    if (all.length === 0) log.info('no Role is needed: none of these waits uses the API server');
    const objects = rolesFor(
      all,
      { kind: 'ServiceAccount', name: account, namespace },
      // A ClusterRole's name must be unique in the cluster.
      { role: `kolla-init-${account}`, clusterRole: `kolla-init-${namespace}-${account}` },
    );
    if (output === 'json')
      stdout(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }, undefined, 2)}\n`);
    else if (objects.length > 0) stdout(rolesYaml(objects));
    return ExitCode.ok;
  },
});

function checkName(option: string, name: string, rule: keyof typeof NAME_RULES): void {
  if (!NAME_RULES[rule].is.test(name)) throw new UsageError(`${option}: '${name}' is not a valid Kubernetes name`);
}
