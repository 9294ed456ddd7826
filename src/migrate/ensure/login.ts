/**
 * Whether the service can log in: on the node that the admin used, then on each other node of the cluster.
 *
 *   account -> the node that made it -> every other node that the cluster names, or that was given, side by side
 *
 * A new account takes some milliseconds to get everywhere, so a refusal is believed only when it lasts. A node that
 * can't be reached is said, or that the cluster does not name now; another that refuses is an error with its name.
 */
import { NotPermittedError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { formatAddress, type Address } from '../../net/address.ts';
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
import { reach, type Reached } from '../target/reach.ts';

interface LoginOptions {
  readonly timeoutMs: number;
  readonly galeraDonor: DonorPolicy;
  /** As reach() takes it, for the first node. */
  readonly settleMs?: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Another password would not help: one node takes the one that another refuses. */
class AccountsDifferError extends NotPermittedError {
  override name = 'AccountsDifferError';
}

/** How long a node may be behind the one on which the account was made. */
const SETTLE_MS = 3000;
const HANDSHAKE_MS = 3000;
const BACKOFF = { minMs: 20, maxMs: 250 };

/**
 * Logs in everywhere.
 * @param target its first place is the node on which the account was ensured
 * @throws what reach() throws for the first node; AccountsDifferError that names another one that refuses
 */
export async function tryLogin(target: MysqlTarget, options: LoginOptions): Promise<void> {
  const { signal, log } = options;
  await using first = await reach(target, { ...options, database: target.database });
  if (!first.isGalera) return;
  const answers = await Promise.all((await otherPlaces(first, target)).map((place) => tryAt(place, target, signal)));
  signal.throwIfAborted();
  // One that has lost the others goes on refusing accounts that were made since.
  const named = new Set((await otherNodes(first)).map(formatAddress));
  for (const { place, error } of answers) {
    if (error === undefined) continue;
    if (isRefusal(error) && named.has(place)) {
      throw new AccountsDifferError(
        `node ${place} refuses account ${target.user}, which ${formatAddress(first.at)} lets in: ${reasonOf(error)}; ` +
          'their accounts differ, as after CREATE USER with wsrep_on=OFF: make them the same there',
        { cause: error },
      );
    }
    log.warn(`could not try the account on node ${place}: ${reasonOf(error)}`);
  }
  const tried = answers.filter(({ error }) => error === undefined).length;
  log.info(`account ${target.user} can log in on ${tried + 1} of ${answers.length + 1} nodes`);
}

/** Those that the cluster names and those that were given; the same one by name and by address is tried twice. */
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

/** The node has judged, though perhaps too soon. */
function isRefusal(error: unknown): boolean {
  return isDenied(error) || errnoOf(error) === UNKNOWN_DATABASE;
}

/** Whether the server does not let the account in, for its password or for what else it must show: it does not say. */
export function isAccessDenied(error: unknown): boolean {
  if (error instanceof AccountsDifferError) return false;
  return [error, (error as Error).cause].some((each) => errnoOf(each) === ACCESS_DENIED);
}
