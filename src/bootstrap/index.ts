/**
 * kolla-bootstrap: creates everything that a service needs before its first start, in one Job, and again on each
 * upgrade.
 *
 *   service -> options, files, accounts and programs of every part validated (a typo must not cost half a migration)
 *     -> waits (wait)
 *     -> parts, in this order:
 *        database   databases, accounts, grants                       migrate/ensure
 *        queue      virtual host, account, permissions in RabbitMQ    provision
 *        keys       Secrets with keys that replicas share             provision/keys
 *        schema     the migration, with its own flow and lock         migrate
 *        tool       the service's own commands                        migrate/tool
 *        users      domains, projects, accounts, roles in Keystone    provision
 *        endpoints  services and endpoints in Keystone                provision
 *
 * Each part reads first; nothing is written without a difference. The parts before the schema, and those after it, are
 * each applied under the lock of the service's database, taken only for a difference; losing it aborts the work. The
 * next run continues after an interruption: only the current state counts. Errors: options and files (64, 65), a
 * duplicate or a denial (69, 77), servers, waits and locks that time out (75), the service's own tool, whose exit code
 * becomes ours.
 */
import { command, type Context, type Helper, type Input } from '../cli/command.ts';
import { outputOption } from '../cli/output-option.ts';
import { defined } from '../core/defined.ts';
import type { ExitCode } from '../core/errors.ts';
import { PLACE_OPTIONS, showStatus } from '../migrate/index.ts';
import type { Dependency } from '../wait/index.ts';
import { keysCommand, OWN_OPTIONS, rabbitmqCheckCommand, rabbitmqPrepareCommand } from '../provision/index.ts';
import { serviceNamedIn, withJob } from './job.ts';
import { JOB_OPTIONS, type JobOptions } from './options.ts';
import { planCommand } from './plan.ts';
import { removeCommand } from './remove.ts';
import { runJob } from './run.ts';

const main = command({
  summary: 'Creates everything a service needs before its first start.',
  description:
    'Creates database, accounts and grants; RabbitMQ virtual host and account; keys; the schema, like ' +
    "kolla-db-sync; Nova's cells and the like (the service's own commands); and in Keystone domains, projects, " +
    'accounts with their roles, services and endpoints. Reads the current state first, shows ' +
    'the differences, and changes only those, in place: a second run changes nothing, and tokens remain ' +
    'valid. Nothing is removed.',
  operands: [{ name: 'SERVICE', help: 'a service from `kolla-pod catalogue` or kolla-pod.yaml' }],
  options: JOB_OPTIONS,
  examples: [
    {
      line: "kolla-bootstrap glance --admin-user root --public-url 'https://api.example.com:{port}' --internal-url 'http://{name}:{port}'",
      does: 'everything, as Keystone user OS_USERNAME, with the passwords from glance-api.conf',
    },
    {
      line: 'kolla-bootstrap keystone --wait tcp://mariadb:3306 --skip users --skip endpoints',
      does: 'everything Keystone itself needs to start, once the database server is ready',
    },
    {
      line: 'kolla-bootstrap nova --only queue --only users --os-cloud kolla-admin --rabbitmq-admin-user openstack',
      does: 'accounts only, with a cloud from clouds.yaml',
    },
    {
      line: 'kolla-bootstrap heat --only users --password-file heat_domain_admin=/run/secrets/heat-domain-admin',
      does: 'with the password of an account that is in no configuration file',
    },
  ],
  run,
});

async function run({ operands: [name = ''], options }: Input<typeof JOB_OPTIONS>, context: Context): Promise<ExitCode> {
  const waits = await waitsOf(options);
  return await withJob(name, options, context, 'ensure', async (job) => {
    await waitFirst(waits, options, context);
    return await runJob(job);
  });
}

/**
 * Parses the waits before any part runs. Loaded only if there are waits.
 * @throws UsageError with the position in the text
 */
async function waitsOf({ wait, timeout }: JobOptions): Promise<readonly Dependency[]> {
  if (wait.length === 0) return [];
  const { checkTimeout, dependenciesOf } = await import('../container/init/waits.ts');
  checkTimeout(timeout);
  return await dependenciesOf(wait);
}

/** Resolves when all dependencies are ready. Rejects like waitForAll(). */
async function waitFirst(
  dependencies: readonly Dependency[],
  { timeout: timeoutMs, onFailedJob, osCacert, kubeconfig, namespace, tls, caFile }: JobOptions,
  context: Context,
): Promise<void> {
  if (dependencies.length === 0) return;
  const { waitFor, waitTrust } = await import('../container/init/waits.ts');
  const trust = waitTrust(
    { tls, caFile: caFile ?? (tls === undefined || tls === 'verify' ? osCacert : undefined) },
    dependencies,
  );
  const own = { podName: undefined, nodeName: undefined, daemonsetAbsent: 'wait' } as const;
  await waitFor(
    dependencies,
    { ...own, ...defined({ namespace }), timeoutMs, onFailedJob, trust, kubeconfig },
    context,
  );
}

/** Prints the records in the service's database, of kolla-bootstrap and kolla-db-sync. */
const statusCommand = command({
  summary: 'Shows the running or last bootstrap of a service, with each part and migration.',
  description:
    "Reads the records in the service's database: `bootstrap:...` are parts that made changes, `tool:...` " +
    "the service's own commands. For the current state, use `plan`. Exits with 1 if there is no record.",
  operands: [{ name: 'SERVICE', help: 'a service from `kolla-pod catalogue` or kolla-pod.yaml' }],
  options: [...PLACE_OPTIONS, ...OWN_OPTIONS, outputOption('KOLLA_BOOTSTRAP_OUTPUT', 'table')],
  examples: [
    { line: 'kolla-bootstrap status glance', does: 'as a table' },
    { line: 'kolla-bootstrap status glance -o json', does: 'as one JSON object' },
  ],
  async run({ operands: [name = ''], options }, context) {
    return await showStatus(await serviceNamedIn(name, context), options, context);
  },
});

export const bootstrap: Helper = {
  name: 'kolla-bootstrap',
  summary: 'Creates everything a service needs before its first start.',
  main,
  commands: {
    plan: planCommand,
    status: statusCommand,
    delete: removeCommand,
    keys: keysCommand,
    'rabbitmq-check': rabbitmqCheckCommand,
    'rabbitmq-prepare': rabbitmqPrepareCommand,
  },
};
