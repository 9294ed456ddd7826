import { formatDuration } from '../cli/duration.ts';
import { DeadlineError, KollaError } from '../cli/errors.ts';
import type { Log } from '../cli/log.ts';
import { backoffMs, pause } from '../platform/backoff.ts';
import {
  ACCESS_DENIED,
  connect,
  errnoOf,
  isPassing,
  mysqlError,
  placeOfTarget,
  reasonOf,
  whoAndWhere,
  type MysqlSession,
  type MysqlTarget,
} from '../platform/mysql/index.ts';
import { statusLine } from './status-line.ts';

export interface ReachOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly database?: string;
}

const BACKOFF = { minMs: 250, maxMs: 3000 };
/** Another Galera node may refuse an account for a moment after it was made. */
const DENIED_MS = 3000;

/**
 * A session, as soon as the server lets us in: it may be away, starting, frozen or full until `timeoutMs` is over.
 * @throws DeadlineError with the last reason; the server's refusal (account, database) as mysqlError says
 */
export async function reach(target: MysqlTarget, options: ReachOptions): Promise<MysqlSession> {
  const { timeoutMs, signal, log, database } = options;
  const began = performance.now();
  const say = statusLine(log);
  const end = AbortSignal.timeout(timeoutMs);
  let last = 'no answer';
  for (let attempt = 0; ; attempt++) {
    try {
      const session = await connect(target, { signal: AbortSignal.any([signal, end]), database });
      if (attempt > 0) log.info(`reached it after ${formatDuration(performance.now() - began)}`);
      return session;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof KollaError) throw error;
      if (!end.aborted) {
        const maySettle = errnoOf(error) === ACCESS_DENIED && performance.now() - began < DENIED_MS;
        if (!maySettle && !isPassing(error)) throw mysqlError(`log in as ${whoAndWhere(target)}`, error);
        last = reasonOf(error);
        say(`waiting for the database server at ${placeOfTarget(target)}: ${last}`);
        await pause(backoffMs(attempt, BACKOFF), AbortSignal.any([signal, end])).catch(() => signal.throwIfAborted());
      }
      if (end.aborted) {
        throw new DeadlineError(
          `waited ${formatDuration(timeoutMs)} for the database server at ${placeOfTarget(target)}; last seen: ${last}`,
          { cause: error },
        );
      }
    }
  }
}
