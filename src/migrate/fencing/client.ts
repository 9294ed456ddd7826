import { isIP } from 'node:net';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { MysqlTarget } from '../../mysql/index.ts';
import { ResolveError } from '../../net/resolver/error.ts';
import { resolveName } from '../../net/resolver/index.ts';
import type { Databases } from '../plan/plan.ts';
import { reach, type Reached } from '../server/reach.ts';
import { onEveryNode } from './every-node.ts';
import { sessionsOf } from '../fence/sessions.ts';

/** An account on a server, and a session of that account. */
export interface Login {
  readonly target: MysqlTarget;
  readonly session: Reached;
}

/**
 * Runs a function for each of the service's accounts, on each server that has one. The account of the held session
 * comes first.
 */
export async function forEachLogin(
  plan: Databases,
  held: Reached,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Log },
  work: (login: Login) => Promise<void>,
): Promise<void> {
  const keyOf = ({ host, port, user }: MysqlTarget) => `${user}@${host}:${port}`;
  const logins = new Map([plan.target, ...plan.others].map((target) => [keyOf(target), target]));
  logins.set(keyOf(plan.target), plan.target);
  for (const target of logins.values()) {
    if (target === plan.target) {
      await work({ target, session: held });
      continue;
    }
    const { timeoutMs, galeraDonor } = plan;
    await using session = await reach(target, { timeoutMs, signal, log, galeraDonor, database: target.database });
    await work({ target, session });
  }
}

/**
 * Whether all future connections from this address with the service's account are ours: the server sees our own address
 * (no proxy or NAT in between), no other machine can have it, and no other client is connected from it.
 */
export async function isAlone(
  plan: Databases,
  session: Reached,
  client: string,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Log },
): Promise<boolean> {
  if (isLocal(client) || !(await isAddressOf(client, session.localAddress, signal))) return false;
  let others = 0;
  try {
    await forEachLogin(plan, session, { signal, log }, async (login) => {
      const { target } = login;
      const options = { target, deadline: performance.now(), signal, log, doing: 'find other sessions', looks: 1 };
      await onEveryNode(login.session, options, async (node) => {
        others += (await sessionsOf(node, target.user)).filter((seen) => seen.client === client).length;
        return undefined;
      });
    });
  } catch (error) {
    signal.throwIfAborted();
    log.info(`not every node could be checked before the command is started: ${messageOf(error)}`);
    return false;
  }
  return others === 0;
}

/**
 * Whether sessions from a migration's address can belong only to it: it was the only client there, and we have another
 * address.
 * @param own our own address as the server sees it
 */
export function isConclusive(left: { readonly client: string; readonly isAlone: boolean }, own: string): boolean {
  return left.isAlone && !isLocal(left.client) && left.client !== own;
}

/** An address that every machine has, or that all processes on one machine share. */
function isLocal(client: string): boolean {
  return client === 'localhost' || client === '::1' || /^(?:::ffff:)?127\./.test(client);
}

/** A server that resolves names shows a name instead of the address. */
async function isAddressOf(client: string, address: string | undefined, signal: AbortSignal): Promise<boolean> {
  if (isIP(client) !== 0 || address === undefined) return client === address;
  try {
    return (await resolveName(client, signal)).includes(address);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ResolveError) return false;
    throw error;
  }
}
