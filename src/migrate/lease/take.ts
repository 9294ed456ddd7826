import { DeadlineError, KollaError, ConfigError, UnavailableError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { backoffMs, pause } from '../../core/backoff.ts';
import { formatProblem } from '../../core/format.ts';
import { ApiError } from '../../kube/api-error.ts';
import { DB_SYNC_ANNOTATIONS } from '../../kube/db-sync-lease.ts';
import { statusLine } from '../../cli/status-line.ts';
import { isConflict, isHopeless, readLease, statusOf, writeLease, type AskOptions } from './ask.ts';
import { leaseWatch } from './free-lease.ts';
import { holdLease, type HeldLease, type LeaseNews } from './hold.ts';
import { emptyLease, holderIn, saysSo, taken } from './object.ts';
import { refusals } from './refused.ts';
import { placeOfLease, type LeaseSite } from './site.ts';
import { holderText, whileHeld } from './while-held.ts';

interface TakeOptions {
  /** The holder's name, which is unique among all processes. */
  readonly holder: string;
  readonly leaseMs: number;
  /** The Lease counts as lost if the API server has not confirmed it for this long. */
  readonly lossMs: number;
  /** Deadline in terms of performance.now(). */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

const ANSWER_MS = 10_000;
/**
 * Minimum time, because a free Lease needs no wait for another migration: the wait for the database server may have
 * taken longer than --lock-timeout, which may be 0.
 */
const LEAST_MS = 3000;
const BACKOFF = { minMs: 250, maxMs: 3000 };
/** Delay after a conflict, short because the other client's change can be read immediately. */
const CONFLICT = { minMs: 10, maxMs: 1000 };

/**
 * Waits until the Lease is free, takes it and keeps renewing it. If the API server is unavailable, it waits for it.
 * @throws DeadlineError naming the holder; NotPermittedError with the Role to apply; the signal's reason
 */
export async function takeLease(site: LeaseSite, asked: TakeOptions): Promise<HeldLease> {
  const options = { ...asked, deadline: Math.max(asked.deadline, performance.now() + LEAST_MS) };
  const { holder, leaseMs, signal, log } = options;
  const freeInMs = leaseWatch(leaseMs);
  const isMeant = refusals(site);
  const say = statusLine(log);
  let last = 'no response';
  /** Also in the error if the API server does not respond any more, or not within what is left until the deadline. */
  let held: string | undefined;
  let tried: { readonly takenAt: number; readonly predecessor: string } | undefined;
  for (let attempt = 0; ;) {
    checkDeadline(site, options, last);
    try {
      const found = await readLease(site, asking(options));
      const problem = formatProblem(found?.metadata.annotations?.[DB_SYNC_ANNOTATIONS.format]);
      if (problem !== undefined) throw new UnavailableError(`${placeOfLease(site)} ${problem}`);
      // Our PUT succeeded, although its response was lost.
      if (tried !== undefined && found !== undefined && holderIn(found) === holder)
        return holdLease(site, { lease: found, ...tried }, options);
      if (found !== undefined && freeInMs(found) > 0) {
        attempt = 0;
        last = held = holderText(site, found);
        held = await whileHeld(site, found, { ...options, freeInMs, say });
        last = held ?? last;
        continue;
      }
      held = undefined;
      tried = { takenAt: performance.now(), predecessor: holderIn(found) };
      const next = taken(found ?? emptyLease(site.ref), holder, leaseMs, new Date());
      return holdLease(site, { lease: await writeLease(site, next, asking(options)), ...tried }, options);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof KollaError && !(error instanceof ConfigError)) throw error;
      if (isConflict(error)) {
        await pause(backoffMs(attempt++, CONFLICT), signal);
        continue;
      }
      if (isHopeless(error) && !isGone(error))
        throw new UnavailableError(`${placeOfLease(site)} cannot be written: ${error.message}`, { cause: error });
      await isMeant(error, signal);
      const problem = messageOf(error);
      last = held === undefined ? problem : `${held}; ${problem}`;
      if (!isRefused(error)) say(`waiting for the API server at ${site.client.server}: ${problem}`);
      const { retryAfterMs = 0 } = error instanceof ApiError ? error : {};
      await pause(retryAfterMs + backoffMs(attempt++, BACKOFF), signal);
    }
  }
}

/**
 * The Lease was deleted between our GET and our PUT. After a POST, the same status means that the namespace does not
 * exist.
 */
function isGone({ status, message }: ApiError): boolean {
  return status === 404 && !message.includes('namespace');
}

/** Whether the API server denied the request. Only a retry shows whether the denial is real. */
function isRefused(error: unknown): boolean {
  return statusOf(error) === 403;
}

function asking({ deadline, signal }: TakeOptions): AskOptions {
  return { withinMs: Math.min(ANSWER_MS, deadline - performance.now()), signal };
}

function checkDeadline(site: LeaseSite, { deadline }: TakeOptions, last: string): void {
  if (performance.now() < deadline) return;
  throw new DeadlineError(`waited for ${placeOfLease(site)} until the deadline (--lock-timeout); last seen: ${last}`);
}

/**
 * Whether the Lease already states `news`. Also false if it cannot be read, because the attempt to take it then reports
 * why.
 */
export async function isPublished(
  site: LeaseSite,
  news: Omit<LeaseNews, 'token'>,
  signal: AbortSignal,
): Promise<boolean> {
  const { isLastBeforeRollout, isOneWay } = site;
  try {
    const lease = await readLease(site, { withinMs: ANSWER_MS, signal });
    return saysSo(lease, { ...news, isLastBeforeRollout, isOneWay });
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
