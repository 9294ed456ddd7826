import { formatDuration } from '../../core/duration.ts';
import { ConfigError, DeadlineError, messageOf, type KollaError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Address } from '../../net/dial/address.ts';
import { backoffMs, pause } from '../../core/backoff.ts';
import {
  ACCESS_DENIED,
  DATABASE_DENIED,
  connect,
  errnoOf,
  galeraState,
  isPassing,
  isUndone,
  mysqlError,
  placeOfTarget,
  placesOf,
  reasonOf,
  whoAndWhere,
  whyUnusable,
  type DonorPolicy,
  type MysqlSession,
  type MysqlTarget,
} from '../../mysql/index.ts';
import { markSession } from '../fence/sessions.ts';
import { statusLine } from '../../cli/status-line.ts';

interface ReachOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly database?: string;
  readonly galeraDonor: DonorPolicy;
  /** How long a rejection of the account is retried, because another Galera node gets a new account a moment later. */
  readonly settleMs?: number;
}

/** A new account, or its grants, have not reached this node yet. */
const SETTLING = new Set([ACCESS_DENIED, DATABASE_DENIED]);

/** A session on a usable server. On Galera, its reads see everything that any node has committed before. */
export interface Reached extends MysqlSession {
  readonly isGalera: boolean;
  /** The place of the target at which the session was opened. */
  readonly at: Address;
}

const BACKOFF = { minMs: 250, maxMs: 3000 };
const SETTLE_MS = 3000;
/**
 * Timeouts for a node that accepts connections and never sends its greeting. The shorter one applies if there is
 * another node to try.
 */
const HANDSHAKE_MS = 10_000;
const HANDSHAKE_OF_SEVERAL_MS = 3000;
/** Timeout for a node that freezes after its greeting. */
const STATE_MS = 10_000;

/** The server responds, but must not be used for writes now. */
class UnusableNodeError extends Error {
  override name = 'UnusableNodeError';
}

/**
 * Opens a session as soon as one of the target's places accepts us and is usable: each may be down, starting, frozen,
 * full, or a Galera node without quorum, until `timeoutMs` has passed.
 * @throws DeadlineError with the last reason; the first rejection (account, database, TLS) if all places reject us, also
 * at the deadline
 */
export async function reach(target: MysqlTarget, options: ReachOptions): Promise<Reached> {
  const { timeoutMs, signal, log, settleMs = SETTLE_MS } = options;
  const began = performance.now();
  const say = statusLine(log);
  const end = AbortSignal.timeout(timeoutMs);
  const until = AbortSignal.any([signal, end]);
  const places = placesOf(target);
  let last = 'no response';
  /** Of the last attempt, if all places rejected us: then the deadline has not passed for lack of a server. */
  let lastRefusal: KollaError | undefined;
  for (let attempt = 0; ; attempt++) {
    const reasons: string[] = [];
    const refusals: KollaError[] = [];
    let mayChange = false;
    let error: unknown;
    for (const place of places) {
      try {
        const reached = await reachOne(place, places.length, until, options);
        for (const reason of refusals) log.warn(`skipped: ${messageOf(reason)}`);
        if (attempt > 0) log.info(`reached after ${formatDuration(performance.now() - began)}`);
        return reached;
      } catch (caught) {
        error = caught;
        signal.throwIfAborted();
        if (caught instanceof ConfigError) throw caught;
        if (end.aborted) break;
        const isSettling = SETTLING.has(errnoOf(caught)) && performance.now() - began < settleMs;
        if (!mayPass(caught)) refusals.push(loginError(place, caught));
        mayChange ||= isSettling || mayPass(caught);
        reasons.push(places.length === 1 ? reasonOf(caught) : `${placeOfTarget(place)}: ${reasonOf(caught)}`);
      }
    }
    // Errors that cannot be transient are not retried for ten minutes.
    if (refusals[0] !== undefined && !mayChange) throw refusals[0];
    if (reasons.length > 0) last = reasons.join('; ');
    // An attempt that the deadline interrupts says nothing.
    if (reasons.length === places.length) lastRefusal = refusals.length === places.length ? refusals[0] : undefined;
    if (!end.aborted) {
      say(`waiting for the database server at ${placeOfTarget(target)}: ${last}`);
      await pause(backoffMs(attempt, BACKOFF), until).catch(() => signal.throwIfAborted());
    }
    if (end.aborted) {
      if (lastRefusal !== undefined) throw lastRefusal;
      const waited = formatDuration(timeoutMs);
      const where = placeOfTarget(target);
      throw new DeadlineError(`waited ${waited} for the database server at ${where}; last seen: ${last}`, {
        cause: error,
      });
    }
  }
}

async function reachOne(
  place: MysqlTarget,
  count: number,
  signal: AbortSignal,
  { database, galeraDonor }: ReachOptions,
): Promise<Reached> {
  const handshakeMs = count === 1 ? HANDSHAKE_MS : HANDSHAKE_OF_SEVERAL_MS;
  const session = await connect(place, { signal, database, handshakeMs });
  const stop = () => session.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const node = await galeraState(session, STATE_MS);
    if (node !== undefined) {
      const why = whyUnusable(node, galeraDonor);
      if (why !== undefined) throw new UnusableNodeError(why);
      // Reads, updates and inserts wait until everything that any node has committed before is applied here.
      await session.change('SET SESSION wsrep_sync_wait = 7', [], STATE_MS);
    }
    await markSession(session, STATE_MS);
    return { ...session, isGalera: node !== undefined, at: place };
  } catch (error) {
    session.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The server gives no reason: it reports missing TLS like a wrong password. */
function loginError(place: MysqlTarget, error: unknown): KollaError {
  const refused = mysqlError(`log in as ${whoAndWhere(place)}`, error);
  if (errnoOf(error) === ACCESS_DENIED) {
    refused.message += `; its password is different${place.tls === undefined ? ', or it must use TLS (ssl_ca in the URL)' : ''}`;
  }
  return refused;
}

function mayPass(error: unknown): boolean {
  return error instanceof UnusableNodeError || isPassing(error) || isUndone(error);
}
