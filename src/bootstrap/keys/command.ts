import { command, type Command, type Context, type Input } from '../../cli/command.ts';
import { ExitCode, UsageError } from '../../core/errors.ts';
import { suggestion } from '../../core/nearest.ts';
import { outputOption } from '../../cli/output-option.ts';
import { type KeyRepository, knownServices, type Service } from '../../catalog/index.ts';
import { KEYS_ACCESS_OPTIONS, KEYS_OPTIONS, ROTATE_OPTIONS } from './options.ts';
import { printRoles } from './print-roles.ts';

const OPTIONS = [
  ...ROTATE_OPTIONS,
  ...KEYS_OPTIONS,
  ...KEYS_ACCESS_OPTIONS,
  {
    flag: 'service-account',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_KEYS_SERVICE_ACCOUNT',
    default: 'default',
    help: "for rbac: the Pod's ServiceAccount, which the binding names; it is not made",
    example: 'keystone-bootstrap',
  },
  {
    flag: 'timeout',
    type: 'duration',
    env: 'KOLLA_BOOTSTRAP_TIMEOUT',
    default: '10m',
    help: 'how long the whole may take, with waiting for the API server',
    example: '30m',
  },
  outputOption('KOLLA_BOOTSTRAP_OUTPUT', 'table', 'of status, for people or for programs'),
] as const;

export type KeysInput = Input<typeof OPTIONS>;

/** `kolla-bootstrap keys`: for a CronJob, and for who looks. */
export const keysCommand: Command = command({
  summary: "Makes and rotates the keys that Keystone's replicas share, and shows them.",
  description:
    'Each repository lies in a Secret that the Pods mount, read only. `create` makes those that are not there. `rotate` promotes the ' +
    'staged key and stages a new one in one write, at most once within --settle, and keeps each key as long as its tokens may ' +
    "live; credentials are encrypted anew by keystone-manage, so that needs Keystone's image and database. `status` shows numbers and " +
    'times, no keys, and ends with 1 where there are none. `rbac` prints the Role.',
  operands: [
    { name: 'ACTION', help: 'what to do', values: ['create', 'rotate', 'status', 'rbac'] },
    { name: 'SERVICE', help: 'keystone, or one of kolla-pod.yaml' },
    { name: 'NAME', help: 'of its repositories: fernet, credential (default: all)', optional: true, many: true },
  ],
  options: OPTIONS,
  examples: [
    { line: 'kolla-bootstrap keys create keystone', does: 'before its first start' },
    { line: 'kolla-bootstrap keys rotate keystone fernet', does: 'by a CronJob, every day' },
    { line: 'kolla-bootstrap keys status keystone', does: 'which key is the primary, and since when' },
    {
      line: 'kolla-bootstrap keys rbac keystone -n openstack --service-account keystone-bootstrap',
      does: 'the Role and its binding, for kubectl apply -f -',
    },
  ],
  run,
});

async function run(input: KeysInput, context: Context): Promise<ExitCode> {
  const [action, name = '', ...names] = input.operands;
  const { service, repositories } = chosen(name, names, await knownServices(context.podFile));
  if (action === 'rbac') {
    const { namespace = 'default', serviceAccount } = input.options;
    context.stdout(printRoles(service.name, repositories, namespace, serviceAccount));
    return ExitCode.ok;
  }
  const { runAction } = await import('./run-action.ts');
  return await runAction(action, service, repositories, input, context);
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
