/**
 * A service's virtual host and account in RabbitMQ, by its management API.
 *
 *   the transport URL (transport-url) -> what the broker has of it: virtual host, user with its password's hash, permissions
 *     -> what differs, as data (plan) -> made or changed in that order, each by a PUT that may be repeated
 *
 * The account that does it needs the tag administrator. Passwords are compared by the hash that the broker keeps and
 * changed only where that differs; tags of an account that is there stay. `guest` is not removed.
 */
import type { Part } from '../change.ts';
import type { Broker } from './broker.ts';
import { ALL, planQueue, RIGHTS, tagsOf, type Permissions, type QueueChange, type QueueState } from './plan.ts';
import { planQueueRemoval } from './remove.ts';
import type { Transport } from './transport-url.ts';

/** The part `queue`. */
export function queuePart(broker: Broker, transport: Transport): Part {
  return {
    name: 'queue',
    async plan() {
      const state = await readQueue(broker, transport);
      return planQueue(transport, state).map((change) => ({
        ...change,
        apply: () => apply(broker, transport, state, change),
      }));
    },
    planRemoval: () => planQueueRemoval(broker, transport),
  };
}

async function readQueue(broker: Broker, transport: Transport): Promise<QueueState> {
  const { vhost, user, permissions } = pathsOf(transport);
  return {
    vhost: await broker.find(vhost),
    user: await broker.find(user),
    permissions: (await broker.find(permissions)) as Permissions | undefined,
  };
}

async function apply(broker: Broker, transport: Transport, { user }: QueueState, change: QueueChange): Promise<void> {
  const paths = pathsOf(transport);
  const doing = `${change.action} ${change.kind} ${change.name}`;
  switch (change.does) {
    case 'vhost':
      return await broker.put(paths.vhost, {}, doing);
    case 'user':
      return await broker.put(paths.user, { password: transport.password, tags: tagsOf(user) }, doing);
    case 'permissions':
      return await broker.put(paths.permissions, Object.fromEntries(RIGHTS.map((right) => [right, ALL])), doing);
  }
}

function pathsOf(transport: Transport): { vhost: string; user: string; permissions: string } {
  const [vhost, user] = [encodeURIComponent(transport.vhost), encodeURIComponent(transport.user)];
  return { vhost: `/vhosts/${vhost}`, user: `/users/${user}`, permissions: `/permissions/${vhost}/${user}` };
}
