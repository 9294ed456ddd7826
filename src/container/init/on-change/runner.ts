import { formatDuration } from '../../../core/duration.ts';
import { KollaError, UnavailableError } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { backoffMs, pause } from '../../../core/backoff.ts';
import type { Action } from './actions.ts';

/** How the actions stand, for a status page. */
export interface ActionStatus {
  readonly done: number;
  /** Tries that failed. */
  readonly failed: number;
  /** The one that is to be done now, or again. */
  readonly pending: string | undefined;
  readonly problem: string | undefined;
}

export const NO_ACTIONS: ActionStatus = { done: 0, failed: 0, pending: undefined, problem: undefined };

type Doable = Exclude<Action, { kind: 'exit' }>;

export interface RunnerParts {
  readonly signal: AbortSignal;
  readonly log: Log;
  /** How long one try may take. */
  readonly timeoutMs: number;
  /** Does it; resolves with what a log may say about it. Rejects with KollaError, or the signal's reason. */
  readonly perform: (action: Doable, signal: AbortSignal) => Promise<string>;
  /** Everything is done for the newest version. */
  readonly onAllDone: () => Promise<void>;
  /** `exit` has been reached, and all is done. */
  readonly onExit: () => void;
  /** Our bug. */
  readonly onBug: (error: unknown) => void;
  readonly onStatus: (status: ActionStatus) => void;
}

const RETRY = { minMs: 1000, maxMs: 60_000 };

/**
 * Does the actions of one change after the other, in their order: the next begins when the one before has succeeded. One that
 * fails is tried again with growing pauses, until it succeeds or there is a newer change, for which all begin anew.
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

  /** Begins with the actions for this version as soon as a try that is under way has ended. */
  changed(version: string): void {
    this.#newest.abort();
    const { signal: superseded } = (this.#newest = new AbortController());
    this.#running = this.#running.then(() => this.#all(version, superseded)).catch(this.#parts.onBug);
  }

  /** Waits for the end of a try that is under way; the signal of the parts must be aborted. */
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
    // A newer version has left its mark already.
    if (superseded.aborted) return;
    this.#say({ pending: undefined, problem: undefined });
    await onAllDone();
    if (!this.#actions.some(({ kind }) => kind === 'exit')) return;
    log.info(`ends for version ${version}; its supervisor restarts it`, { version });
    onExit();
  }

  /** False when it is no longer to be done. */
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
      await pause(pauseMs, over).catch(() => {}); // the loop's condition says why it ended
    }
    if (!signal.aborted) log.info(`${action.label} is skipped for the newer version`, { version });
    return false;
  }

  /** Why it failed. */
  async #attempt(action: Doable, version: string): Promise<string | undefined> {
    const { signal, log, timeoutMs, perform } = this.#parts;
    const deadline = new AbortController();
    const late = new UnavailableError(`it did not end within ${formatDuration(timeoutMs)}`);
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
