/** docs/reference/rbac.md: for each kind of wait the Role that `kolla-init rbac` prints, by the code that it prints it with. */
import { accessOf, KINDS, parseDependency } from '../../src/wait/index.ts';
import { rolesFor } from '../../src/kube/rbac.ts';

const NAMESPACE = 'openstack';
const ACCOUNT = { kind: 'ServiceAccount', name: 'keystone', namespace: NAMESPACE } as const;

/** By the word of the kind; each in the forms that need different Roles. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  job: ['job/keystone-bootstrap', 'job/keystone-db-sync', 'job?label=app=nova', '!job/old'],
  'db-sync': ['db-sync/keystone'],
  service: ['service/mariadb'],
  pod: ['pod/galera-0', 'pod?label=app=ovs', 'pod?label=app=ovs&node=own'],
  container: ['container/sidecar'],
  deployment: ['deployment/api', 'deployment?label=app=api'],
  statefulset: ['statefulset/rabbitmq', 'statefulset?label=app=rabbitmq'],
  daemonset: ['daemonset/ovs', 'daemonset/ovs@network'],
  node: ['node/compute-1', 'node?label=role=network', 'node?node=own'],
  configmap: ['configmap/nova-bin'],
  secret: ['secret/tls'],
};
const ANY = ['pvc/data?jsonpath={.status.phase}=Bound', 'certificates.cert-manager.io/api?condition=Ready'];

/** The kinds of objects that have no example yet, and examples of none. For the test. */
export function withoutExample(): string[] {
  const words = KINDS.filter(({ form }) => form === 'object').map(({ word }) => word);
  return [...words.filter((word) => !(word in EXAMPLES)), ...Object.keys(EXAMPLES).filter((w) => !words.includes(w))];
}

interface Printed {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string };
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** The whole page. */
export function rbacPage(generated: string): string {
  const waits = [...Object.values(EXAMPLES).flat(), ...ANY];
  return [
    '# Roles for waits',
    '',
    generated,
    '',
    'Waits for servers and files (`tcp://`, `http://`, `file:` ...) need no API server and no Role. For the others `kolla-init rbac` prints',
    'the least that is enough, offline:',
    '',
    '```sh',
    'kolla-init rbac --wait job/keystone-db-sync --wait service/mariadb -n openstack --service-account keystone | kubectl apply -f -',
    '```',
    '',
    'One Role and binding for each namespace, named `kolla-init-SERVICEACCOUNT`; a ClusterRole and binding for nodes and other resources',
    'without a namespace, named `kolla-init-NAMESPACE-SERVICEACCOUNT`. Print all waits of a ServiceAccount at once: the same names are',
    'replaced. The ServiceAccount itself is not made. `--events` adds the right to leave an Event on the own Pod when a wait fails.',
    '',
    `For a Pod in namespace \`${NAMESPACE}\`:`,
    '',
    '| wait | Role | resource | only these names | verbs |',
    '|---|---|---|---|---|',
    ...waits.flatMap(rowsOf),
    '',
    '- A watch by name asks for nothing but `watch`: it tells of the object, and of its absence. Whoever may watch an object sees all of it, so',
    '  `get` beside it gives away no more; it is what waits fall back on, asking every 2 s, where a Role has `get` and no `watch`, as',
    "  kubernetes-entrypoint's Roles do. That is said once.",
    '- `!` asks for the object itself, since silence is no proof that it is gone: `get`.',
    '- A set (labels, a Service, more than 8 names of one kind in one namespace) is watched whole, and neither `list` nor `watch` of a',
    '  namespace can be held to names. `list` is needed by API servers that do not tell when a watch has sent what exists: older ones.',
    '  Secrets, ConfigMaps and `db-sync/` are watched by their names however many there are; above 100 watches `get` is needed too.',
    '- `container/`, `node=own` and `daemonset/` look at the own Pod, whose name a Deployment makes up: name it with `--pod-name` where it is',
    '  known. `get` of Pods is only needed where `NODE_NAME` (`spec.nodeName` by the downward API) is not set.',
    '- `job/NAME-db-sync` may read the Lease that tells of a migration whose Job is gone by its TTL. Without, such a Job is waited for.',
    '- Other resources: discovery is open to every user by `system:discovery`. What only a cluster knows (a plural, whether there are',
    '  namespaces) is guessed from the word, and said; write the plural with its group.',
    '',
    'Where neither is allowed the wait ends with 77 and prints the Role to apply. `test/integration/rbac.test.ts` gives each Role to a',
    'ServiceAccount of a real API server, with and without each verb.',
    '',
  ].join('\n');
}

function rowsOf(wait: string): string[] {
  const { grants } = accessOf([parseDependency(wait)], NAMESPACE);
  const objects = rolesFor(grants, ACCOUNT, { role: '', clusterRole: '' }) as unknown as readonly Printed[];
  let first = `\`${wait}\``;
  return objects.flatMap(({ kind, metadata, rules = [] }) =>
    rules.map(({ apiGroups: [group = ''], resources: [resource = ''], resourceNames = [], verbs }) => {
      const where = metadata.namespace === undefined ? kind : `${kind} in \`${metadata.namespace}\``;
      const what = group === '' ? resource : `${resource}.${group}`;
      const names = resourceNames.map((name) => `\`${name}\``).join(', ');
      const row = `| ${first} | ${where} | \`${what}\` | ${names} | ${verbs.join(', ')} |`;
      first = '';
      return row;
    }),
  );
}
