import { formatDuration } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { PreparedCheck } from './prepare.ts';
import { ResidentCheck, type Change, type CheckStatus, type Timing } from './resident-check.ts';

/** Checks that run continuously until they are disposed. */
export interface Checks extends AsyncDisposable {
  /** The current results in the order of kolla-pod.yaml. Reading them runs no check. */
  snapshot(): readonly CheckStatus[];
}

/** Tests can replace these. */
interface Effects {
  readonly timing: Timing;
  /** Called for each verdict that has changed. */
  readonly tell: (change: Change) => void;
}

const REAL: Timing = { now: () => performance.now(), random: Math.random };

/**
 * Runs each check once per period, each in its own loop, so that a hanging one blocks no other. A changed verdict is
 * one log line.
 * @param checks the checks from prepareChecks()
 * @param signal ends the loops, as does disposal
 */
export function startChecks(
  checks: readonly PreparedCheck[],
  { signal, log }: { readonly signal: AbortSignal; readonly log: Log },
  { timing = REAL, tell = (change) => announce(change, log) }: Partial<Effects> = {},
): Checks {
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const resident = checks.map((check) => new ResidentCheck(check, log, timing, tell));
  const rounds = resident.map(async (check) => {
    try {
      await check.run(until);
    } catch (error) {
      if (!until.aborted) log.error(`our bug, please report it: ${messageOf(error)}`);
    }
  });
  return {
    snapshot: () => resident.map((check) => check.status()),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the checks were stopped'));
      await Promise.all(rounds);
    },
  };
}

/** Logs one line about a changed verdict: new state, reason, and duration of the previous state. */
function announce(change: Change, log: Log): void {
  const { part, subject, from, lastedMs } = change;
  const fields = { check: part.name, asked: subject, state: part.state, was: from, lasted_ms: Math.round(lastedMs) };
  const line = changeText(change);
  if (part.state === 'healthy') log.info(line, fields);
  else log.warn(line, fields);
}

/** The log line: `api is unhealthy: status 503; it had been healthy for 2m05s; asked: http http://127.0.0.1:5000/v3`. */
function changeText({ part, subject, from, lastedMs }: Change): string {
  const why = part.reason === undefined ? '' : `: ${part.reason}`;
  const lasted = formatDuration(lastedMs);
  const before = from === 'unknown' ? `the first verdict, after ${lasted}` : `it had been ${from} for ${lasted}`;
  const asked = part.state === 'healthy' ? '' : `; asked: ${subject}`;
  return `${part.name} is ${part.state}${why}; ${before}${asked}`;
}
