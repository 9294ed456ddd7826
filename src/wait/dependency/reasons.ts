import { pause } from '../../core/backoff.ts';
import { messageOf } from '../../core/errors.ts';
import { ApiError } from '../../kube/api-error.ts';
import type { Report } from './waiter.ts';

/** A state that lasts less needs no reason: most waits are over by then. */
const FIRST_MS = 5000;
const AGAIN_MS = 30_000;

/** Why a state lasts, as other objects tell it; undefined if they tell nothing. */
export type Explain = (signal: AbortSignal) => Promise<string | undefined>;

/**
 * Adds to a state that lasts why it does. The objects that tell it are none of the wait's own: its Role need not allow
 * them, and without permission the state stays as it is.
 */
export class Reasons implements Disposable {
  readonly #report: Report;
  readonly #signal: AbortSignal;
  #isDenied = false;
  #state = '';
  #why: string | undefined;
  #explain: Explain | undefined;
  #round = new AbortController();

  constructor(report: Report, signal: AbortSignal) {
    this.#report = report;
    this.#signal = signal;
  }

  /** @param explain undefined if nothing else tells about this state */
  state(state: string, explain?: Explain): void {
    const isSame = state === this.#state && (explain === undefined) === (this.#explain === undefined);
    this.#explain = explain;
    if (isSame && !this.#round.signal.aborted) return;
    this.#state = state;
    this.#why = undefined;
    this.resume();
  }

  /** Reports that the state can't be seen. */
  interrupt(why: string): void {
    this.#round.abort();
    this.#report(why);
  }

  /** Reports the last state again. */
  resume(): void {
    this.#round.abort();
    this.#round = new AbortController();
    this.#report(this.#state, this.#why);
    if (this.#explain !== undefined && !this.#isDenied) void this.#follow(this.#round.signal);
  }

  async #follow(round: AbortSignal): Promise<void> {
    const until = AbortSignal.any([this.#signal, round]);
    for (let afterMs = FIRST_MS; ; afterMs = AGAIN_MS) {
      const why = await pause(afterMs, until)
        .then(() => this.#explain?.(until))
        .catch((error: unknown) => {
          this.#isDenied ||= error instanceof ApiError && error.status === 403;
          return this.#isDenied ? undefined : `why is unknown: ${messageOf(error)}`;
        });
      if (until.aborted) return;
      this.#why = why;
      this.#report(this.#state, why);
      if (this.#isDenied) return;
    }
  }

  [Symbol.dispose](): void {
    this.#round.abort();
  }
}
