import { formatDuration } from '../../core/duration.ts';
import { UnavailableError } from '../../core/errors.ts';
import type { Part } from '../../probe/serve/part.ts';
import type { Kind } from '../api/objects.ts';

/** How often it is checked whether something is late. */
const CHECK_MS = 1000;
/** The longest time between two signs of life of a watch: silence and a request, twice, and their backoff. */
const WATCH_MS = 5 * 60_000;

/** The name of a turn of an object. */
export function turnOf(kind: Kind, name: string): string {
  return `${kind} ${name}`;
}

/**
 * Everything that must move: turns of the queues and watches. Each says within which time it moves again or ends, so that an
 * idle operator is alive, and so is one whose Helm has an hour.
 */
export class Beat {
  readonly #moving = new Map<string, { readonly withinMs: number; readonly until: number }>();
  /** As in Date. */
  readonly #since = Date.now();
  /** For a turn without Helm. */
  readonly #turnMs: number;

  constructor(turnMs: number) {
    this.#turnMs = turnMs;
  }

  /** @param moreMs time that a turn has now in addition, such as for Helm */
  moved(turn: string, moreMs: number = 0): void {
    this.#expect(turn, this.#turnMs + moreMs);
  }

  watchMoved(watch: string): void {
    this.#expect(watch, Math.max(this.#turnMs, WATCH_MS));
  }

  #expect(what: string, withinMs: number): void {
    this.#moving.set(what, { withinMs, until: performance.now() + withinMs });
  }

  ended(what: string): void {
    this.#moving.delete(what);
  }

  /** What has not moved in time. */
  late(): string | undefined {
    const now = performance.now();
    for (const [what, { withinMs, until }] of this.#moving)
      if (until < now) return `${what} has not moved for ${formatDuration(withinMs)}`;
    return undefined;
  }

  /** For /livez. */
  part(): Part {
    const reason = this.late();
    const state = reason === undefined ? 'healthy' : 'unhealthy';
    return { name: 'operator', roles: ['liveness'], state, reason, since: this.#since };
  }

  /**
   * Waits until something is late, or the signal is aborted.
   * @param onLate aborts the signal
   * @param graceMs time for everything to end after that; then `gaveUp` rejects with the signal's reason
   */
  watch(
    signal: AbortSignal,
    onLate: (error: UnavailableError) => void,
    graceMs: number,
  ): Disposable & { readonly gaveUp: Promise<never> } {
    const { promise: gaveUp, reject } = Promise.withResolvers<never>();
    let timer = setInterval(() => {
      const late = this.late();
      if (late !== undefined) onLate(new UnavailableError(`${late}; exiting, so that another process can lead`));
    }, CHECK_MS);
    const giveUp = () => {
      clearInterval(timer);
      timer = setTimeout(() => reject(signal.reason as Error), graceMs);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    return { gaveUp, [Symbol.dispose]: () => clearTimeout(timer) };
  }
}
