/**
 * A service's virtual host and account in RabbitMQ, created through its management API.
 *
 *   the transport URL (transport-url) -> the broker's state: virtual host, user with its password hash, permissions
 *     -> differences, and how to apply them in order, each with a repeatable PUT (plan)
 *
 * The admin account needs the tag `administrator`; the service's gets no tag. Passwords are compared with the broker's
 * hash and changed only if they differ; tags of an existing account are kept. `guest` is not removed.
 */
import { UnavailableError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Part, PartSource, Planned } from '../converge/change.ts';
import { ensuredPart, removal } from '../converge/ensure.ts';
import { Broker, type BrokerOptions } from './broker.ts';
import { pathsOf, planQueue, tagsOf, type Permissions, type QueueState } from './plan.ts';
import type { Transport } from './transport-url.ts';

/** Shared by all services unless each has its own: this virtual host belongs to none of them. */
const SHARED_VHOST = '/';

/** The part `queue`, not yet connected. @param service its name */
export function queueSource(
  service: string,
  options: BrokerOptions,
  transport: Transport,
  secrets: readonly string[],
): PartSource {
  let isWarned = false;
  const warnOnce = ({ user }: QueueState, log: Log) => {
    if (isWarned || !tagsOf(user).split(',').includes('administrator')) return;
    isWarned = true;
    log.warn(
      `${service} logs in to RabbitMQ as ${transport.user}, which has the tag administrator: put a separate account ` +
        'into its transport URL',
    );
  };
  const open: PartSource['open'] = (effects) => {
    const broker = new Broker(options, effects);
    const kept = new Set<string>();
    const keep = (why: string) => {
      if (!kept.has(why)) effects.log.info(why);
      kept.add(why);
    };
    const planRemoval = () => planQueueRemoval({ service, admin: options.adminUser, broker, transport, keep });
    return [queuePart(broker, transport, (state) => warnOnce(state, effects.log), planRemoval)];
  };
  return { secrets, open };
}

function queuePart(
  broker: Broker,
  transport: Transport,
  inspect: (state: QueueState) => void,
  planRemoval: Part['planRemoval'],
): Part {
  return ensuredPart({
    name: 'queue',
    server: broker,
    read: async () => {
      const state = await readQueue(broker, transport);
      inspect(state);
      return state;
    },
    differences: (state) => planQueue(transport, state),
    planRemoval,
  });
}

async function readQueue(broker: Broker, transport: Transport): Promise<QueueState> {
  const { vhost, user, permissions } = pathsOf(transport);
  return {
    vhost: await broker.find(vhost),
    user: await broker.find(user),
    permissions: (await broker.find(permissions)) as Permissions | undefined,
  };
}

interface Removal {
  readonly service: string;
  /** The account that the requests are sent with. */
  readonly admin: string;
  readonly broker: Broker;
  readonly transport: Transport;
  /** Called with the reason why an object is kept. */
  readonly keep: (why: string) => void;
}

/**
 * The service's account, unless it has a tag or permissions elsewhere, and its virtual host with all queues, unless
 * another account has permissions there: not the admin, since RabbitMQ gives them to the account that creates a virtual
 * host. In the shared virtual host only an account with the service's own name: another one may be that of several
 * services.
 * @throws UnavailableError while a client is connected that would lose its account or virtual host
 */
async function planQueueRemoval({ service, admin, broker, transport, keep }: Removal): Promise<Planned[]> {
  const { vhost, user } = transport;
  const isShared = vhost === SHARED_VHOST;
  if (isShared && user !== service) return [];
  const { vhost: vhostPath, user: userPath } = pathsOf(transport);
  const [there, account] = [await broker.find(vhostPath), await broker.find(userPath)];
  const permissions = there === undefined ? [] : await broker.list(`${vhostPath}/permissions`);
  const elsewhere = account === undefined ? [] : await broker.list(`${userPath}/permissions`);
  const isAccountAlone =
    account !== undefined && tagsOf(account) === '' && elsewhere.every((one) => one['vhost'] === vhost);
  const others = permissions.map((one) => String(one['user'])).filter((name) => name !== user && name !== admin);
  const isVhostAlone = !isShared && there !== undefined && others.length === 0;
  if (!isShared && others.length > 0) keep(`virtual host ${vhost} is kept: ${others.join(', ')} has permissions there`);
  if (isAccountAlone || isVhostAlone) {
    const connections = there === undefined ? [] : await broker.list(`${vhostPath}/connections`);
    const own = isVhostAlone ? connections : connections.filter((one) => one['user'] === user);
    requireIdle(isVhostAlone ? `virtual host ${vhost}` : `RabbitMQ's account ${user}`, own.length);
  }
  return [
    ...(isAccountAlone ? [removal(broker, 'queue user', user, userPath)] : []),
    ...(isVhostAlone ? [removal(broker, 'virtual host', vhost, vhostPath)] : []),
  ];
}

function requireIdle(what: string, connections: number): void {
  if (connections === 0) return;
  throw new UnavailableError(`${what} is in use (${connections} connections): stop its clients first`);
}
