/**
 * kolla-bootstrap: what a service needs outside its database before its first start.
 *
 *   service -> its data (services/, or kolla-pod.yaml) -> names, passwords and transport URL from options or from the
 *     service's own configuration, access to Keystone and RabbitMQ (parts.ts)
 *     -> part by part, in the order queue, keys, users, endpoints:
 *        read what is there -> plan what differs, as data -> show it -> make it so, in place -> read again, until nothing differs
 *        (converge.ts)
 *
 * Nothing is removed but by `delete --yes` (remove.ts), and nothing is written where nothing differs: a password only where Keystone answers 401 to it, as
 * every set revokes its tokens. What was read and is not so any more (409, 404, a lost answer) is read again. What can
 * fail: options and files (64, 65); a duplicate that only a person can judge, or a refusal (69, 77); no answer in time (75).
 * A part is one more folder with a `Part`. Database and schema are kolla-db-sync's: who composes both calls `withParts` and
 * `ensureParts` under its lock.
 */
import { command, type Context, type Helper, type Input } from '../cli/command.ts';
import { ExitCode } from '../cli/errors.ts';
import type { Part } from './change.ts';
import { converge } from './converge.ts';
import type { Effects } from './effects.ts';
import { keysCommand } from './keys/command.ts';
import { BOOTSTRAP_OPTIONS } from './options.ts';
import { plan } from './plan.ts';
import { remove } from './remove.ts';
import { withParts } from './with-parts.ts';

const main = command({
  summary: 'Ensures what a service needs in Keystone and RabbitMQ before its first start.',
  description:
    'RabbitMQ virtual host, account and permissions; Keystone domains, projects, accounts with their roles; services and ' +
    'endpoints. Reads first, shows each difference, and changes only that, in place: a second run changes nothing, and ' +
    'tokens live on. Nothing is removed.',
  operands: [{ name: 'SERVICE', help: 'one of `kolla-pod catalogue`, or of kolla-pod.yaml' }],
  options: BOOTSTRAP_OPTIONS,
  examples: [
    {
      line: "kolla-bootstrap glance --public-url 'https://api.example.com:{port}' --internal-url 'http://{name}:{port}'",
      does: 'as whom OS_USERNAME names, with the passwords of glance-api.conf',
    },
    {
      line: 'kolla-bootstrap nova --os-cloud kolla-admin --internal-url http://nova:8774 --rabbitmq-admin-user openstack',
      does: 'with the queue, as a cloud of clouds.yaml',
    },
    {
      line: 'kolla-bootstrap heat --only users --password-file heat_domain_admin=/run/secrets/heat-domain-admin',
      does: 'the accounts alone',
    },
  ],
  run,
});

async function run(input: Input<typeof BOOTSTRAP_OPTIONS>, context: Context): Promise<ExitCode> {
  return await withParts(input, context, 'ensure', async (parts, effects) => {
    if (parts.length === 0) context.log.info(`${input.operands[0]} needs nothing of what was asked for`);
    const changes = await ensureParts(parts, effects);
    context.log.info(changes === 0 ? 'all is as it should be' : 'all is as it should be now');
    return ExitCode.ok;
  });
}

/**
 * Each part as the service needs it, in their order; says what was done.
 * @returns how many changes were made
 * @throws as converge
 */
export async function ensureParts(parts: readonly Part[], effects: Effects): Promise<number> {
  let changes = 0;
  for (const part of parts) {
    const made = await converge(part, effects);
    changes += made;
    const what = made === 0 ? 'nothing to do' : `${made === 1 ? '1 change' : `${made} changes`} made`;
    effects.log.info(`${part.name}: ${what}`);
  }
  return changes;
}

export { BOOTSTRAP_OPTIONS, withParts };

export const bootstrap: Helper = {
  name: 'kolla-bootstrap',
  summary: 'Ensures what a service needs in Keystone and RabbitMQ before its first start.',
  main,
  commands: { plan, delete: remove, keys: keysCommand },
};
