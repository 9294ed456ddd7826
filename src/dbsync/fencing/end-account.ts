import type { Log } from '../../cli/log.ts';
import type { MysqlTarget } from '../../platform/mysql/index.ts';
import { adminAt } from '../ensure/index.ts';
import type { Plan } from '../plan.ts';
import { reach } from '../reach.ts';
import { definedBy, dropAccount, lockAccount } from './account.ts';
import { onEveryNode } from './every-node.ts';
import { killSession, listOf, sessionsOf } from './sessions.ts';

export interface EndOptions {
  /** By performance.now(). */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Ends accounts for good: nobody can log in with them, who was in is thrown out on every node of every server, and then
 * they are dropped. One that something in the databases has as its definer stays, locked: it works as a definer.
 * @returns those that stay
 * @throws UnavailableError when sessions are left at the deadline, or a node can't be reached until then
 */
export async function endAccounts(
  plan: Plan,
  admin: MysqlTarget,
  names: readonly string[],
  { deadline, signal, log }: EndOptions,
): Promise<string[]> {
  const kept = new Set<string>();
  if (names.length === 0) return [];
  for (const { target, databases } of serversOf(plan)) {
    const leftMs = Math.max(1, Math.ceil(deadline - performance.now()));
    const { galeraDonor } = plan;
    await using session = await reach(adminAt(admin, target), { timeoutMs: leftMs, signal, log, galeraDonor });
    const hosts = [plan.accountHost].flat();
    for (const name of names) await lockAccount(session, name, hosts);
    const options = { target: adminAt(admin, target), deadline, signal, log, doing: `end ${names.join(', ')}` };
    await onEveryNode(session, options, async (node) => {
      // A statement that waits: wsrep_sync_wait has it see the lock that was just put on the account.
      await node.rows(`SELECT COUNT(*) FROM information_schema.SCHEMATA`);
      const left = (await Promise.all(names.map((name) => sessionsOf(node, name)))).flat();
      for (const { id } of left) await killSession(node, id);
      return left.length === 0 ? undefined : `killed, and not gone yet: ${listOf(left)}`;
    });
    for (const name of names) {
      const defined = await definedBy(session, name, databases);
      if (defined.length === 0) await dropAccount(session, name, hosts);
      else kept.add(name);
      if (defined.length === 0) log.info(`account ${name} is dropped`);
      else log.info(`account ${name} stays, locked: it is the definer of ${listed(defined)}; a later run drops it`);
    }
  }
  return [...kept];
}

/** The servers that the databases are on, and which are on each. */
export function serversOf({ target, others }: Pick<Plan, 'target' | 'others'>) {
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
