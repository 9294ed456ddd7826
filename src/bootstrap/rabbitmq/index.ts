/**
 * A service's virtual host and account in RabbitMQ, created through its management API.
 *
 *   the transport URL (transport-url) -> the broker's state: virtual host, user with its password hash, permissions
 *     -> differences, and how to apply them in order, each with a repeatable PUT (plan)
 *
 * The admin account needs the tag `administrator`. Passwords are compared with the broker's hash and changed only if
 * they differ; tags of an existing account are kept. `guest` is not removed.
 */
import { UnavailableError } from '../../core/errors.ts';
import type { Part, PartSource, Planned } from '../change.ts';
import { ensuredPart, removal } from '../ensure.ts';
import { Broker, type BrokerOptions } from './broker.ts';
import { pathsOf, planQueue, tagsOf, type Permissions, type QueueState } from './plan.ts';
import type { Transport } from './transport-url.ts';

/**
 * Shared by all services in Kolla's own deployment: neither this virtual host nor an account in it belongs to one
 * service.
 */
const SHARED_VHOST = '/';

/** The part `queue`, not yet connected. */
export function queueSource(options: BrokerOptions, transport: Transport, secrets: readonly string[]): PartSource {
  return { secrets, open: (effects) => [queuePart(new Broker(options, effects), transport)] };
}

function queuePart(broker: Broker, transport: Transport): Part {
  return ensuredPart({
    name: 'queue',
    server: broker,
    read: () => readQueue(broker, transport),
    differences: (state) => planQueue(transport, state),
    planRemoval: () => planQueueRemoval(broker, transport),
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

/**
 * The service's account, unless it has a tag or permissions elsewhere, and its virtual host with all queues, unless
 * another account has permissions there.
 * @throws UnavailableError while a client is connected to that virtual host
 */
async function planQueueRemoval(broker: Broker, transport: Transport): Promise<Planned[]> {
  const { vhost, user } = transport;
  if (vhost === SHARED_VHOST) return [];
  const { vhost: vhostPath, user: userPath } = pathsOf(transport);
  const [there, account] = [await broker.find(vhostPath), await broker.find(userPath)];
  const permissions = there === undefined ? [] : await broker.list(`${vhostPath}/permissions`);
  const elsewhere = account === undefined ? [] : await broker.list(`${userPath}/permissions`);
  const isAccountAlone =
    account !== undefined && tagsOf(account) === '' && elsewhere.every((one) => one['vhost'] === vhost);
  const isVhostAlone = there !== undefined && permissions.every((one) => one['user'] === user);
  if (isAccountAlone || isVhostAlone) await requireIdle(broker, vhost, vhostPath, there !== undefined);
  return [
    ...(isAccountAlone ? [removal(broker, 'queue user', user, userPath)] : []),
    ...(isVhostAlone ? [removal(broker, 'virtual host', vhost, vhostPath)] : []),
  ];
}

async function requireIdle(broker: Broker, vhost: string, path: string, isThere: boolean): Promise<void> {
  const connections = isThere ? await broker.list(`${path}/connections`) : [];
  if (connections.length === 0) return;
  throw new UnavailableError(
    `virtual host ${vhost} is in use (${connections.length} connections): stop its clients first`,
  );
}
