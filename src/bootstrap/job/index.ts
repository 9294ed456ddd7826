/**
 * kolla-bootstrap: everything that a service needs before its first start, in one Job, and again at each upgrade.
 *
 *   service -> options, files, accounts and programs of every part read (a typo must not cost half a migration)
 *     -> what it waits for (depend)
 *     -> part by part, in this order:
 *        database   databases, accounts, grants                       dbsync/ensure
 *        queue      virtual host, account, permissions in RabbitMQ    bootstrap
 *        keys       Secrets with keys that replicas share             bootstrap/keys
 *        schema     the migration, by its own flow and lock           dbsync
 *        tool       the service's own commands                        dbsync/tool
 *        users      domains, projects, accounts, roles in Keystone    bootstrap
 *        endpoints  services and endpoints in Keystone                bootstrap
 *
 * Each is read first; nothing is written where nothing differs. What stands before the schema, and what comes after it, is each
 * done under the lock of the service's database, taken only when something differs; losing it aborts the work. A run that
 * was cut off anywhere is taken up by the next one: what counts is what is read. What can fail: options and files (64, 65), a
 * duplicate or a refusal (69, 77), servers, waits and locks without end (75), the service's own tool, whose exit code is ours.
 */
import { command, type Context, type Helper, type Input } from '../../cli/command.ts';
import type { ExitCode } from '../../core/errors.ts';
import { keysCommand } from '../index.ts';
import { JOB_OPTIONS } from './options.ts';
import { planCommand } from './plan.ts';
import { removeCommand } from './remove.ts';
import { runJob } from './run.ts';
import { statusCommand } from './status.ts';
import { waitFirst, waitsOf } from './waits.ts';
import { withJob } from './with-job.ts';

const main = command({
  summary: 'Ensures everything that a service needs before its first start.',
  description:
    "Database, accounts and grants; RabbitMQ virtual host and account; keys; the schema, as kolla-db-sync does it; the service's own " +
    "commands, such as Nova's cells; domains, projects, accounts with their roles, services and endpoints in Keystone. Reads first, shows " +
    'each difference, and changes only that, in place: a second run changes nothing, and tokens live on. Nothing is removed.',
  operands: [{ name: 'SERVICE', help: 'one of `kolla-pod catalogue`, or of kolla-pod.yaml' }],
  options: JOB_OPTIONS,
  examples: [
    {
      line: "kolla-bootstrap glance --admin-user root --public-url 'https://api.example.com:{port}' --internal-url 'http://{name}:{port}'",
      does: 'all of it, to Keystone as whom OS_USERNAME names, with the passwords of glance-api.conf',
    },
    {
      line: 'kolla-bootstrap keystone --wait tcp://mariadb:3306 --skip users --skip endpoints',
      does: 'what Keystone itself can start with, once the database server is there',
    },
    {
      line: 'kolla-bootstrap nova --only queue --only users --os-cloud kolla-admin --rabbitmq-admin-user openstack',
      does: 'accounts alone, as a cloud of clouds.yaml',
    },
    {
      line: 'kolla-bootstrap heat --only users --password-file heat_domain_admin=/run/secrets/heat-domain-admin',
      does: 'with the password of an account that no configuration has',
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

export const bootstrap: Helper = {
  name: 'kolla-bootstrap',
  summary: 'Ensures everything that a service needs before its first start.',
  main,
  commands: { plan: planCommand, status: statusCommand, delete: removeCommand, keys: keysCommand },
};
