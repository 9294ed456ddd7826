import type { Log } from '../../core/log.ts';
import type { MysqlTarget } from '../../mysql/index.ts';
import { adminAt } from '../ensure/admin.ts';
import { NotPermittedError, messageOf } from '../../core/errors.ts';
import type { Databases } from '../plan/plan.ts';
import { reach, type Reached } from '../server/reach.ts';
import { lackedToEnd } from './may-end.ts';
import { definedBy, dropAccount, lockAccount } from '../fence/account.ts';
import { onEveryNode, type EveryNodeOptions } from './every-node.ts';
import { killSession, listOf, sessionsOf } from '../fence/sessions.ts';

const LATE_MS = 2000;

interface EndOptions {
  /** Deadline in terms of performance.now(). */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Set if no command runs under these accounts any more: unreachable nodes are then not waited for. */
  readonly isOver?: boolean;
}

/**
 * Removes accounts: new logins are prevented, open sessions are killed on every node of every server, and then the
 * accounts are dropped. An account that is the definer of an object is kept, locked: that is sufficient for a definer.
 * @returns the accounts kept
 * @throws UnavailableError if sessions remain at the deadline, or a node is unreachable until then; NotPermittedError
 * if the admin cannot see or kill them
 */
export async function endAccounts(
  plan: Databases,
  admin: MysqlTarget,
  names: readonly string[],
  { deadline, signal, log, isOver = false }: EndOptions,
): Promise<string[]> {
  const kept = new Set<string>();
  if (names.length === 0) return [];
  for (const { target, databases } of serversOf(plan)) {
    const leftMs = Math.max(1, Math.ceil(deadline - performance.now()));
    const { galeraDonor } = plan;
    await using session = await reach(adminAt(admin, target), { timeoutMs: leftMs, signal, log, galeraDonor });
    const lacked = isOver ? undefined : await lackedToEnd(session);
    if (lacked !== undefined) {
      throw new NotPermittedError(
        `${admin.user} cannot kill the sessions of ${names.join(', ')}: it lacks ${lacked}. Grant it ` +
          'that, or give another --admin-user',
      );
    }
    const hosts = plan.accountHost;
    for (const name of names) await lockAccount(session, name, hosts);
    const doing = `end ${names.join(', ')}`;
    const options = { target: adminAt(admin, target), deadline, signal, log, doing };
    await (isOver ? endLate(session, names, options) : endSessions(session, names, options));
    for (const name of names) {
      const defined = await definedBy(session, name, databases);
      if (defined.length === 0) await dropAccount(session, name, hosts);
      else kept.add(name);
      if (defined.length === 0) log.info(`account ${name} is dropped`);
      else log.info(`account ${name} is kept, locked: it is the definer of ${listed(defined)}; a later run drops it`);
    }
  }
  return [...kept];
}

async function endSessions(session: Reached, names: readonly string[], options: EveryNodeOptions): Promise<void> {
  await onEveryNode(session, options, async (node) => {
    // With wsrep_sync_wait, the node responds only after it has applied the account's lock.
    const left = (await Promise.all(names.map((name) => sessionsOf(node, name)))).flat();
    for (const { id } of left) await killSession(node, id);
    return left.length === 0 ? undefined : `killed, and not gone yet: ${listOf(left)}`;
  });
}

/** Ends sessions that may be left after a command has exited: of a client that has just exited, or of a daemon. */
async function endLate(session: Reached, names: readonly string[], options: EveryNodeOptions): Promise<void> {
  const deadline = Math.min(options.deadline, performance.now() + LATE_MS);
  try {
    await endSessions(session, names, { ...options, deadline, looks: 1 });
  } catch (error) {
    options.signal.throwIfAborted();
    options.log.info(`not every node was checked for sessions of ${names.join(', ')}: ${messageOf(error)}`);
  }
}

/** The servers of the databases, each with its own databases. */
export function serversOf({ target, others }: Pick<Databases, 'target' | 'others'>) {
  const servers = new Map<string, { target: MysqlTarget; databases: string[] }>();
  for (const each of [target, ...others]) {
    const key = `${each.host}:${each.port}`;
    const server = servers.get(key) ?? { target: each, databases: [] };
    server.databases.push(each.database);
    servers.set(key, server);
  }
  return [...servers.values()];
}

const LISTED = 3;

function listed(names: readonly string[]): string {
  const more = names.length - LISTED;
  return `${names.slice(0, LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
