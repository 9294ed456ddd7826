import { UnavailableError } from '../../core/errors.ts';
import type { Planned } from '../change.ts';
import type { Broker } from './broker.ts';
import { tagsOf } from './plan.ts';
import type { Transport } from './transport-url.ts';

/** Everybody's, as in Kolla's own deployment: neither it nor an account in it can be said to be one service's. */
const SHARED_VHOST = '/';

/**
 * The service's account, unless it has a tag or permissions elsewhere, and its virtual host with all its queues, unless
 * another account has permissions there.
 * @throws UnavailableError while somebody is connected to that virtual host
 */
export async function planQueueRemoval(broker: Broker, { vhost, user }: Transport): Promise<Planned[]> {
  if (vhost === SHARED_VHOST) return [];
  const [vhostPath, userPath] = [`/vhosts/${encodeURIComponent(vhost)}`, `/users/${encodeURIComponent(user)}`];
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
    `virtual host ${vhost} is in use (${connections.length} connections): stop what is connected first`,
  );
}

function removal(broker: Broker, kind: string, name: string, path: string): Planned {
  return { action: 'delete', kind, name, fields: [], apply: () => broker.remove(path, `delete ${kind} ${name}`) };
}
