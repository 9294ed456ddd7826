import { defined } from '../core/defined.ts';
import { formatDuration } from '../core/duration.ts';
import { ExitCode, KollaError, messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { backoffMs, pause } from '../core/backoff.ts';
import { oneLine } from '../core/one-line.ts';
import { inAttempt } from './attribution.ts';
import type { Component } from './components/component.ts';
import type { ComponentState, ComponentStatus } from './status/document.ts';

/** A component's backoff is reset once the component has run for this long. */
const RAN_WELL_MS = 60_000;

/** Tests can replace these. */
export interface Timing {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

const REAL: Timing = { now: () => performance.now(), pause };

/** Keeps one component running: restarts it with backoff after a failure, until it is done or stopped. */
export class SupervisedComponent {
  readonly component: Component;
  readonly #log: Log;
  readonly #timing: Timing;
  readonly #stop = new AbortController();
  #attempt: Attempt | undefined;
  #state: ComponentState = 'starting';
  #since = Date.now();
  #starts = 0;
  #failures = 0;
  #inSuccession = 0;
  #problem: string | undefined;
  #retryAt: number | undefined;

  constructor(component: Component, log: Log, timing: Timing = REAL) {
    this.component = component;
    this.#log = log.with({ component: component.name });
    this.#timing = timing;
  }

  /** Resolves when the component is done or stopped. Never rejects, because an error is a failure of the component. */
  async keep(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const began = this.#timing.now();
      const failure = await this.#once();
      if (this.#stop.signal.aborted) break;
      if (failure === undefined) {
        this.#log.info('done');
        this.#say('done', {});
        return;
      }
      if (this.#timing.now() - began >= RAN_WELL_MS) this.#inSuccession = 0;
      await this.#rest(failure);
    }
    this.#say('stopped', { problem: this.#problem });
  }

  /**
   * Requests a stop; `keep` resolves when the component has ended.
   * @param reason a SignalError, which the component treats as a request to stop and not as a failure
   */
  stop(reason: Error): void {
    if (this.#state === 'running' || this.#state === 'starting') this.#say('stopping', {});
    this.#stop.abort(reason);
    const attempt = this.#attempt;
    if (attempt === undefined) return;
    void inAttempt(attempt, () => Promise.resolve(attempt.controller.abort(reason)));
  }

  get isOver(): boolean {
    return this.#state === 'done' || this.#state === 'stopped';
  }

  status(): ComponentStatus {
    const { name, holdsStartup } = this.component;
    return {
      name,
      state: this.#state,
      since: this.#since,
      holdsStartup,
      starts: this.#starts,
      failures: this.#failures,
      problem: this.#problem ?? null,
      retryAt: this.#retryAt ?? null,
    };
  }

  /** Runs one attempt. Resolves with its failure, if any. */
  async #once(): Promise<Failure | undefined> {
    const { component } = this;
    const attempt = new Attempt(component.name, (error) => this.#crashed(attempt, error));
    this.#attempt = attempt;
    this.#starts++;
    this.#say('running', { problem: this.#problem });
    try {
      const { signal } = attempt.controller;
      const code = await inAttempt(attempt, () => component.run({ signal, log: this.#log }));
      if (attempt.crash !== undefined) return attempt.crash;
      return code === ExitCode.ok ? undefined : { message: `exited with code ${code}` };
    } catch (error) {
      return attempt.crash ?? failureOf(error);
    } finally {
      this.#attempt = undefined;
      clearTimeout(attempt.timer);
    }
  }

  /** Stops a component after an uncaught error: no caller could handle it, so the component's state is undefined. */
  #crashed(attempt: Attempt, error: unknown): void {
    const failure = failureOf(error);
    if (this.#attempt !== attempt) {
      // The attempt that caused the error has ended, so the error is only logged.
      this.#log.error(`after its end: ${failure.message}`, { stack: failure.stack });
      return;
    }
    attempt.crash ??= failure;
    const { stopMs } = this.component;
    attempt.timer ??= setTimeout(() => {
      if (this.#attempt !== attempt) return;
      this.#log.error(`did not stop within ${formatDuration(stopMs)} after its failure: ${failure.message}`);
      this.#say('stuck', { problem: failure.message });
    }, stopMs);
    attempt.controller.abort(error instanceof Error ? error : new Error(failure.message));
  }

  async #rest({ message, stack }: Failure): Promise<void> {
    const { backoff } = this.component;
    this.#failures++;
    const waitMs = backoffMs(this.#inSuccession++, backoff);
    this.#say('failing', { problem: message, retryAt: Date.now() + waitMs });
    this.#log.error(
      `failed, retrying in ${formatDuration(waitMs)}; the other components continue: ${message}`,
      defined({ stack }),
    );
    // Only a stop ends the pause early, which the caller checks.
    await this.#timing.pause(waitMs, this.#stop.signal).catch(() => {});
  }

  #say(state: ComponentState, more: { problem?: string | undefined; retryAt?: number }): void {
    if (state !== this.#state) this.#since = Date.now();
    this.#state = state;
    this.#problem = more.problem;
    this.#retryAt = more.retryAt;
  }
}

/** One attempt of a component, to which errors of its callbacks are attributed. */
class Attempt {
  readonly name: string;
  readonly controller = new AbortController();
  readonly crashed: (error: unknown) => void;
  crash: Failure | undefined;
  timer: NodeJS.Timeout | undefined;

  constructor(name: string, crashed: (error: unknown) => void) {
    this.name = name;
    this.crashed = crashed;
  }
}

interface Failure {
  readonly message: string;
  /** Only bugs end up here. */
  readonly stack?: string | undefined;
}

function failureOf(error: unknown): Failure {
  if (error instanceof KollaError) return { message: oneLine(error.message) };
  const stack = error instanceof Error ? error.stack : undefined;
  return { message: `our bug, please report it: ${oneLine(messageOf(error))}`, stack };
}
