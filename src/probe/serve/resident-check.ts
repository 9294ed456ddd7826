import { formatDuration } from '../../core/duration.ts';
import { KollaError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { pause } from '../../core/backoff.ts';
import { oneLine } from '../../core/one-line.ts';
import { answerOf } from '../ask/ask.ts';
import { unhealthy, type CheckResult } from '../ask/verdict.ts';
import type { Part, State } from './part.ts';
import type { PreparedCheck } from './prepare.ts';

/** Number of periods without a verdict after which the last verdict is stale. */
const STALE_PERIODS = 3;
/** Maximum of the random delay before the first run, so that twenty checks do not start at the same time. */
const FIRST_MS = 1000;

/** The state of a check, and the cost of its runs. */
export interface CheckStatus extends Part {
  /** The check as the user wrote it. */
  readonly subject: string;
  readonly periodMs: number;
  /** Number of runs, and of failed ones. */
  readonly asked: number;
  readonly failed: number;
  /** Number of state changes. The first verdict does not count as one. */
  readonly changes: number;
  /** Duration of the last run in milliseconds. */
  readonly lastMs: number | undefined;
  /** Total duration of all runs. */
  readonly totalMs: number;
  /** The time of the last result, in milliseconds as in Date. */
  readonly answeredAt: number | undefined;
}

/** A verdict that has changed. */
export interface Change {
  readonly part: Part;
  /** The check as the user wrote it. */
  readonly subject: string;
  readonly from: State;
  /** Duration of the previous state, in milliseconds. */
  readonly lastedMs: number;
}

/** Tests can replace these. */
export interface Timing {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly random: () => number;
}

/** The loop of one check: runs it, stores the result, and repeats. */
export class ResidentCheck {
  readonly #check: PreparedCheck;
  readonly #timing: Timing;
  readonly #log: Log;
  readonly #tell: (change: Change) => void;
  #part: Part;
  /** On the timing's clock: when the part's state began, and the time of the last result or of the start. */
  #since: number;
  #seen: number;
  #inSuccession = 0;
  #counts = { asked: 0, failed: 0, changes: 0, totalMs: 0 };
  #last: { readonly ms: number; readonly at: number } | undefined;
  /** The start of a run that has not returned yet. */
  #open: number | undefined;

  constructor(check: PreparedCheck, log: Log, timing: Timing, tell: (change: Change) => void) {
    this.#check = check;
    this.#timing = timing;
    this.#log = log;
    this.#tell = tell;
    this.#since = this.#seen = timing.now();
    this.#part = { name: check.name, roles: check.roles, state: 'unknown', since: Date.now() };
  }

  /** Runs the check once per period until the signal is aborted. Then throws the signal's reason. */
  async run(signal: AbortSignal): Promise<never> {
    const { now, random } = this.#timing;
    const { period } = this.#check;
    await pause(random() * Math.min(period, FIRST_MS), signal);
    for (let due = now(); ;) {
      await this.#round(signal);
      due += period;
      // Periods that were missed are skipped.
      if (due < now()) due += Math.ceil((now() - due) / period) * period;
      await pause(due - now(), signal);
    }
  }

  status(): CheckStatus {
    const { question, period, timeout } = this.#check;
    const silent = this.#timing.now() - this.#seen;
    const isStale = silent > STALE_PERIODS * period + timeout;
    const unseen = { state: 'unseen', reason: `no verdict for ${formatDuration(silent)}` } as const;
    return {
      ...this.#part,
      ...(isStale ? unseen : {}),
      subject: question.subject,
      periodMs: period,
      ...this.#counts,
      lastMs: this.#last?.ms,
      answeredAt: this.#last?.at,
    };
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { now } = this.#timing;
    const began = now();
    const verdict = this.#open === undefined ? await this.#ask(signal) : this.#stillHangs(began - this.#open);
    this.#seen = now();
    this.#last = { ms: this.#seen - began, at: Date.now() };
    this.#counts.asked++;
    this.#counts.totalMs += this.#last.ms;
    this.#take(verdict);
  }

  /** The verdict, by the deadline at the latest. A check that ignores its signal may continue to run. */
  async #ask(signal: AbortSignal): Promise<CheckResult> {
    this.#open = this.#timing.now();
    const ask = async (bounded: AbortSignal, tell?: (awaited: string) => void) => {
      try {
        return await this.#check.question.ask(bounded, tell);
      } finally {
        this.#open = undefined;
      }
    };
    try {
      return await answerOf({ ...this.#check.question, ask }, this.#check.timeout, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof KollaError) return unhealthy(error.message);
      // A bug in one check must not stop the others.
      this.#log.debug(`${this.#check.name}: our bug`, { stack: error instanceof Error ? error.stack : undefined });
      return unhealthy(`our bug, please report it: ${messageOf(error)}`);
    }
  }

  #stillHangs(ms: number): CheckResult {
    const text = `no response in ${formatDuration(this.#check.timeout)}, and still hanging after ${formatDuration(ms)}`;
    return this.#check.question.whenLate ?? unhealthy(text);
  }

  #take(verdict: CheckResult): void {
    this.#inSuccession = verdict.healthy ? 0 : this.#inSuccession + 1;
    if (!verdict.healthy) this.#counts.failed++;
    const text = verdict.healthy ? verdict.detail : verdict.reason;
    const reason = text === undefined ? undefined : oneLine(text);
    const from = this.#part;
    const isTolerated = !verdict.healthy && this.#inSuccession < this.#check.failures;
    const state = isTolerated ? from.state : stateOf(verdict);
    if (state === from.state) {
      // The previous reason is kept while the verdict does not depend on this result.
      if (!isTolerated) this.#part = { ...from, reason };
      return;
    }
    const now = this.#timing.now();
    const lastedMs = now - this.#since;
    if (from.state !== 'unknown') this.#counts.changes++;
    this.#since = now;
    this.#part = { ...from, state, reason, since: Date.now() };
    this.#tell({ part: this.#part, subject: this.#check.question.subject, from: from.state, lastedMs });
  }
}

function stateOf(verdict: CheckResult): State {
  if (verdict.healthy) return 'healthy';
  return verdict.isUnseen ? 'unseen' : 'unhealthy';
}
