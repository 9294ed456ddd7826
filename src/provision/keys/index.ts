/**
 * Key repositories shared by a service's replicas (Keystone's for tokens and for credentials), each in a Secret.
 *
 *   the service's data (catalog), its configuration -> Secret (store.ts: written only if unchanged since it was read)
 *     <-> ring: numbered keys and when each became primary (ring.ts)
 *   create (part.ts): no Secret -> a ring of two keys, or those of a directory -> Secret. Existing ones are never changed.
 *   rotate (rotate.ts): is it due? -> 0 becomes the primary, a new 0 is staged, expired ones are dropped: one write
 *     -> Secret -> the kubelet -> the replicas' directories, each at its own time. A repository of persistent data is
 *     re-encrypted before and after (reencrypt.ts), by the service's own tool.
 *
 * A replica that has not seen a rotation yet knows the new primary as its staged key; so the next rotation waits until
 * all have (--settle), and no key is dropped while a token encrypted with it may be valid. A crash leaves the old or
 * the new state; a concurrent run is rejected by the resourceVersion and finds the rotation done. Errors: missing or
 * invalid keys (65), the API server's denial with the Role to apply (77), its unavailability until the deadline (75),
 * the tool (69).
 */
import { namedAccount } from '../../kube/rbac.ts';
import { command, type Command, type Context, type Input } from '../../cli/command.ts';
import { ExitCode, UsageError } from '../../core/errors.ts';
import { suggestion } from '../../core/nearest.ts';
import { outputOption } from '../../cli/output-option.ts';
import { rolesFor, rolesYaml } from '../../kube/rbac.ts';
import { type KeyRepository, knownServices, type Service } from '../../catalog/index.ts';
import { KEYS_ACCESS_OPTIONS, KEYS_OPTIONS } from '../options/options.ts';
import { keysGrants } from './secret.ts';

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

const OPTIONS = [
  {
    flag: 'settle',
    type: 'duration',
    env: 'KOLLA_BOOTSTRAP_KEYS_SETTLE',
    default: '15m',
    help: 'maximum time until all replicas use new keys',
    details: 'Within this time after a change, keys are not rotated again.',
    example: '1h',
  },
  {
    flag: 'token-lifetime',
    type: 'duration',
    env: 'KOLLA_BOOTSTRAP_KEYS_TOKEN_LIFETIME',
    help: 'lifetime of a token (default: from keystone.conf, else 49h)',
    details: '[token] expiration plus allow_expired_window in keystone.conf.',
    example: '49h',
  },
  {
    flag: 'max-active-keys',
    type: 'integer',
    env: 'KOLLA_BOOTSTRAP_KEYS_MAX_ACTIVE_KEYS',
    help: 'number of keys to keep (default: from keystone.conf, else 3)',
    details: 'More are kept as long as tokens need them.',
    example: '3',
  },
  {
    flag: 'service-config',
    type: 'path',
    env: 'KOLLA_BOOTSTRAP_SERVICE_CONFIG',
    help: "Keystone's configuration file (default: /etc/keystone/keystone.conf)",
    example: '/etc/keystone/keystone.conf',
  },
  ...KEYS_OPTIONS,
  ...KEYS_ACCESS_OPTIONS,
  {
    flag: 'service-account',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_KEYS_SERVICE_ACCOUNT',
    help: '(rbac) ServiceAccount that the binding refers to',
    details: 'It must exist already.',
    example: 'keystone-bootstrap',
  },
  {
    flag: 'timeout',
    type: 'duration',
    env: 'KOLLA_BOOTSTRAP_TIMEOUT',
    default: '10m',
    help: 'maximum total time, including the API server',
    example: '30m',
  },
  outputOption('KOLLA_BOOTSTRAP_OUTPUT', 'table', '(status) output format'),
] as const;

/** `kolla-bootstrap keys`: for a CronJob, and for users. */
export const keysCommand: Command = command({
  summary: "Creates, rotates and shows the keys shared by Keystone's replicas.",
  description:
    'Each repository is a Secret that the Pods mount read-only. `create` creates missing ones. ' +
    '`rotate` promotes the staged key and stages a new one in a single write, at most once per --settle, ' +
    'and keeps each key as long as its tokens may be valid; credentials are re-encrypted by keystone-manage, ' +
    "which requires Keystone's image and database. `status` shows numbers and ages, but no keys, and " +
    'exits with 1 if there are none. `rbac` prints the Role.',
  operands: [
    { name: 'ACTION', help: 'action to perform', values: ['create', 'rotate', 'status', 'rbac'] },
    { name: 'SERVICE', help: 'keystone, or a service from kolla-pod.yaml' },
    { name: 'NAME', help: 'repository: fernet or credential (default: all)', optional: true, many: true },
  ],
  options: OPTIONS,
  examples: [
    { line: 'kolla-bootstrap keys create keystone', does: "before Keystone's first start" },
    { line: 'kolla-bootstrap keys rotate keystone fernet', does: 'daily, from a CronJob' },
    { line: 'kolla-bootstrap keys status keystone', does: "show the primary key's number and age" },
    {
      line: 'kolla-bootstrap keys rbac keystone -n openstack --service-account keystone-bootstrap',
      does: 'the Role and its binding, for kubectl apply -f -',
    },
  ],
  run,
});

async function run({ operands, options }: Input<typeof OPTIONS>, context: Context): Promise<ExitCode> {
  const [action, name = '', ...names] = operands;
  const { service, repositories } = chosen(name, names, await knownServices(context.podFile));
  if (action === 'rbac') {
    const { namespace = 'default', serviceAccount } = options;
    context.stdout(printRoles(service.name, repositories, namespace, namedAccount(serviceAccount)));
    return ExitCode.ok;
  }
  const { runAction } = await import('./run-action.ts');
  return await runAction(action, service, repositories, options, context);
}

function chosen(
  name: string,
  names: readonly string[],
  services: readonly Service[],
): { readonly service: Service; readonly repositories: readonly KeyRepository[] } {
  const withKeys = services.filter(({ keys = [] }) => keys.length > 0);
  const service = withKeys.find((each) => each.name === name);
  if (service === undefined) {
    const known = withKeys.map((each) => each.name);
    throw new UsageError(`no service '${name}' whose keys are known${suggestion(name, known)}`);
  }
  const all = service.keys ?? [];
  for (const one of names) {
    const known = all.map((each) => each.name);
    if (!known.includes(one)) throw new UsageError(`${name} has no keys '${one}'${suggestion(one, known)}`);
  }
  return { service, repositories: names.length === 0 ? all : all.filter((each) => names.includes(each.name)) };
}

/** The Role and binding for `keys`, as YAML for kubectl. UsageError for an invalid Kubernetes name. */
function printRoles(
  service: string,
  repositories: readonly KeyRepository[],
  namespace: string,
  account: string,
): string {
  if (!LABEL.test(namespace)) throw new UsageError(`--namespace: '${namespace}' is not a valid Kubernetes name`);
  if (!SUBDOMAIN.test(account)) throw new UsageError(`--service-account: '${account}' is not a valid Kubernetes name`);
  const name = `kolla-bootstrap-keys-${service}-${account}`;
  const subject = { kind: 'ServiceAccount', name: account, namespace } as const;
  return rolesYaml(rolesFor(keysGrants(namespace, repositories), subject, { role: name, clusterRole: name }));
}
