/**
 * Whether the service can log in: on the node used by the admin, then on each other node of the cluster.
 *
 *   account -> the node that created it -> all other nodes known to the cluster or given, in parallel
 *
 * A new account takes milliseconds to replicate, so a rejection counts only if it persists. An unreachable node, or one
 * missing from the cluster's list, is logged; another node that rejects the login is an error with its name.
 */
import { NotPermittedError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { formatAddress, type Address } from '../../net/dial/address.ts';
import { backoffMs, pause } from '../../core/backoff.ts';
import {
  ACCESS_DENIED,
  connect,
  errnoOf,
  isDenied,
  otherNodes,
  reasonOf,
  UNKNOWN_DATABASE,
  type DonorPolicy,
  type MysqlTarget,
} from '../../mysql/index.ts';
import { reach, type Reached } from '../server/reach.ts';

interface LoginOptions {
  readonly timeoutMs: number;
  readonly galeraDonor: DonorPolicy;
  /** How long the first node's rejection of the account is retried; see reach(). */
  readonly settleMs?: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Another password would not help, because one node accepts the password that another one rejects. */
class AccountsDifferError extends NotPermittedError {
  override name = 'AccountsDifferError';
}

/** How long a node may lag behind the one that created the account. */
const SETTLE_MS = 3000;
const HANDSHAKE_MS = 3000;
const BACKOFF = { minMs: 20, maxMs: 250 };

/**
 * Logs in on all nodes.
 * @param target its first place is the node on which the account was ensured
 * @throws what reach() throws for the first node; AccountsDifferError naming another node that rejects the login
 */
export async function tryLogin(target: MysqlTarget, options: LoginOptions): Promise<void> {
  const { signal, log } = options;
  await using first = await reach(target, { ...options, database: target.database });
  if (!first.isGalera) return;
  const answers = await Promise.all((await otherPlaces(first, target)).map((place) => tryAt(place, target, signal)));
  signal.throwIfAborted();
  // A partitioned node keeps rejecting accounts that were created since the partition, so only listed nodes count.
  const named = new Set((await otherNodes(first)).map(formatAddress));
  for (const { place, error } of answers) {
    if (error === undefined) continue;
    if (isRefusal(error) && named.has(place)) {
      throw new AccountsDifferError(
        `node ${place} rejects account ${target.user}, which ${formatAddress(first.at)} accepts: ` +
          `${reasonOf(error)}; their accounts differ, as after CREATE USER with wsrep_on=OFF: make them ` +
          'the same there',
        { cause: error },
      );
    }
    log.warn(`could not try the account on node ${place}: ${reasonOf(error)}`);
  }
  const tried = answers.filter(({ error }) => error === undefined).length;
  log.info(`account ${target.user} can log in on ${tried + 1} of ${answers.length + 1} nodes`);
}

/** The cluster's nodes and the given ones. A node that is given by name and by address is tried twice. */
async function otherPlaces(first: Reached, { places = [] }: MysqlTarget): Promise<Address[]> {
  const all = [...(await otherNodes(first)), ...places];
  const own = formatAddress(first.at);
  const byName = new Map(all.map((place) => [formatAddress(place), place]));
  return [...byName].filter(([name]) => name !== own).map(([, place]) => place);
}

async function tryAt(at: Address, target: MysqlTarget, signal: AbortSignal) {
  const { socket: _, places: __, ...account } = target;
  const place = formatAddress(at);
  const end = performance.now() + SETTLE_MS;
  for (let attempt = 0; ; attempt++) {
    try {
      const options = { signal, database: target.database, handshakeMs: HANDSHAKE_MS };
      await (await connect({ ...account, ...at }, options))[Symbol.asyncDispose]();
      return { place, error: undefined };
    } catch (error) {
      if (!isRefusal(error) || performance.now() > end || signal.aborted) return { place, error };
      await pause(backoffMs(attempt, BACKOFF), signal).catch(() => {});
    }
  }
}

/** Whether the node has rejected the login, possibly because the account is not replicated yet. */
function isRefusal(error: unknown): boolean {
  return isDenied(error) || errnoOf(error) === UNKNOWN_DATABASE;
}

/** Whether the server rejects the account because of its password or another requirement; both give the same error. */
export function isAccessDenied(error: unknown): boolean {
  if (error instanceof AccountsDifferError) return false;
  return [error, (error as Error).cause].some((each) => errnoOf(each) === ACCESS_DENIED);
}
