import { formatDuration } from '../../../core/duration.ts';
import { KollaError, UnavailableError } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { backoffMs, pause } from '../../../core/backoff.ts';
import type { Action } from './actions.ts';

/** State of the actions for a status page. */
export interface ActionStatus {
  readonly done: number;
  /** Number of failed attempts. */
  readonly failed: number;
  /** The action that is running or next. */
  readonly pending: string | undefined;
  readonly problem: string | undefined;
}

export const NO_ACTIONS: ActionStatus = { done: 0, failed: 0, pending: undefined, problem: undefined };

type Doable = Exclude<Action, { kind: 'exit' }>;

export interface RunnerParts {
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Timeout of a single attempt. */
  readonly timeoutMs: number;
  /** Performs the action and resolves with a result for the log. Rejects with KollaError or the signal's reason. */
  readonly perform: (action: Doable, signal: AbortSignal) => Promise<string>;
  /** Called when all actions are done for the newest version. */
  readonly onAllDone: () => void;
  /** Called when `exit` was reached and everything is done. */
  readonly onExit: () => void;
  /** Called with an error that is a bug. */
  readonly onBug: (error: unknown) => void;
  readonly onStatus: (status: ActionStatus) => void;
}

const RETRY = { minMs: 1000, maxMs: 60_000 };

/**
 * Runs the actions of one change in order: each starts after the previous one has succeeded. A failed action is retried
 * with backoff, until it succeeds or there is a newer change, for which all actions start over.
 */
export class ActionRunner implements AsyncDisposable {
  readonly #actions: readonly Action[];
  readonly #parts: RunnerParts;
  #newest = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #status = NO_ACTIONS;

  constructor(actions: readonly Action[], parts: RunnerParts) {
    this.#actions = actions;
    this.#parts = parts;
  }

  /** Starts the actions for this version as soon as a running attempt has ended. */
  changed(version: string): void {
    this.#newest.abort();
    const { signal: superseded } = (this.#newest = new AbortController());
    this.#running = this.#running.then(() => this.#all(version, superseded)).catch(this.#parts.onBug);
  }

  /** Waits for the end of a running attempt; the parts' signal must be aborted. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#newest.abort();
    await this.#running;
  }

  async #all(version: string, superseded: AbortSignal): Promise<void> {
    const { log, onAllDone, onExit } = this.#parts;
    for (const action of this.#actions) {
      if (action.kind === 'exit') break;
      const isDone = await this.#untilDone(action, version, superseded);
      if (!isDone) return;
    }
    // A newer version has already set its own marker.
    if (superseded.aborted) return;
    this.#say({ pending: undefined, problem: undefined });
    onAllDone();
    if (!this.#actions.some(({ kind }) => kind === 'exit')) return;
    log.info(`exiting for version ${version}, to be restarted`, { version });
    onExit();
  }

  /** Attempts an action until it succeeds. False if it is no longer needed. */
  async #untilDone(action: Doable, version: string, superseded: AbortSignal): Promise<boolean> {
    const { signal, log } = this.#parts;
    const over = AbortSignal.any([signal, superseded]);
    for (let failures = 0; !over.aborted; failures++) {
      this.#say({ pending: action.label });
      const failure = await this.#attempt(action, version);
      if (failure === undefined) return true;
      if (signal.aborted) return false;
      const pauseMs = backoffMs(failures, RETRY);
      this.#say({ problem: failure, failed: this.#status.failed + 1 });
      log.warn(`${action.label} failed, retrying in ${formatDuration(pauseMs)}: ${failure}`, { version });
      await pause(pauseMs, over).catch(() => {}); // the loop's condition has the reason
    }
    if (!signal.aborted) log.info(`${action.label} is skipped for the newer version`, { version });
    return false;
  }

  /** Attempts an action once. Returns the reason for a failure. */
  async #attempt(action: Doable, version: string): Promise<string | undefined> {
    const { signal, log, timeoutMs, perform } = this.#parts;
    const deadline = new AbortController();
    const late = new UnavailableError(`it did not finish within ${formatDuration(timeoutMs)}`);
    const timer = setTimeout(() => deadline.abort(late), timeoutMs);
    try {
      const said = await perform(action, AbortSignal.any([signal, deadline.signal]));
      log.info(`${action.label}: ${said}`, { version });
      this.#say({ done: this.#status.done + 1, problem: undefined });
      return undefined;
    } catch (error) {
      if (signal.aborted) return 'interrupted';
      if (!(error instanceof KollaError)) throw error;
      return error.message;
    } finally {
      clearTimeout(timer);
    }
  }

  #say(change: Partial<ActionStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#parts.onStatus(this.#status);
  }
}
