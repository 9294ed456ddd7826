import { formatDuration } from '../../core/duration.ts';
import type { FileState } from '../counts.ts';
import type { DestinationState } from '../view.ts';

/** How far a file was written at a moment. */
interface Seen {
  readonly atMs: number;
  /** Bytes since the start, over all of its contents. */
  readonly written: number;
}

/** Beyond so many every second one is left out: the age is then less exact. */
const KEPT = 64;

/** How long the oldest byte of one file waits that is not acknowledged. */
export class FileLag {
  #seen: Seen[] = [];

  /** @param nowMs of a clock that is never set back */
  look({ bytes, unread, left }: FileState, nowMs: number): void {
    const written = bytes + unread;
    const acknowledged = written - left;
    // What was there when we looked then is acknowledged since.
    while (this.#seen.length > 0 && this.#seen[0]!.written <= acknowledged) this.#seen.shift();
    if (left === 0 || this.#seen.at(-1)?.written === written) return;
    this.#seen.push({ atMs: nowMs, written });
    if (this.#seen.length > KEPT) this.#seen = this.#seen.filter((_, at) => at % 2 === 0);
  }

  /** Milliseconds; 0 when nothing waits. */
  age(nowMs: number): number {
    const [first] = this.#seen;
    return first === undefined ? 0 : nowMs - first.atMs;
  }
}

/** Since when a destination has settled nothing while lines wait for it. */
interface Quiet {
  settled: number;
  sinceMs: number;
}

const LOOK_MS = 1000;

/** What only looking again and again can tell, once a second until it is disposed of. */
export class Lags implements Disposable {
  readonly #states: () => readonly DestinationState[];
  readonly #files = new Map<string, Map<string, FileLag>>();
  readonly #quiet = new Map<string, Quiet>();
  readonly #timer: NodeJS.Timeout;

  constructor(states: () => readonly DestinationState[]) {
    this.#states = states;
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  look(nowMs: number = performance.now()): void {
    for (const state of this.#states()) {
      this.#lookAtFiles(state, nowMs);
      const { documents, acknowledged, already, rejected } = state.counts;
      const settled = acknowledged + already + rejected;
      // An unfinished last line is no document yet: it waits for who writes it, not for the destination.
      const isWaiting = state.lagBytes > 0 && documents > settled;
      if (this.#quiet.get(state.name)?.settled !== settled || !isWaiting)
        this.#quiet.set(state.name, { settled, sinceMs: nowMs });
    }
  }

  /** Milliseconds that the oldest byte of a file waits. */
  ofFile(destination: string, path: string, nowMs: number = performance.now()): number {
    return this.#files.get(destination)?.get(path)?.age(nowMs) ?? 0;
  }

  /** Milliseconds for which a destination has settled nothing while lines wait for it. */
  quiet(destination: string, nowMs: number = performance.now()): number {
    return nowMs - (this.#quiet.get(destination)?.sinceMs ?? nowMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #lookAtFiles({ name, fileStates }: DestinationState, nowMs: number): void {
    const before = this.#files.get(name);
    const lags = new Map<string, FileLag>();
    for (const file of fileStates()) {
      const lag = before?.get(file.path) ?? new FileLag();
      lag.look(file, nowMs);
      lags.set(file.path, lag);
    }
    this.#files.set(name, lags);
  }
}

interface Readiness {
  readonly isReady: boolean;
  /** May name hosts. */
  readonly reason: string;
}

/** What passes by itself should not take a pod out of service: a server that begins anew, a moment's overload. */
export const OUTAGE_MS = 5000;
/** A server may be slow. */
export const QUIET_MS = 60_000;

/**
 * Whether a destination takes what is there.
 * @param quietMs for how long it has settled nothing while lines wait for it
 * @param nowMs since the epoch
 */
export function readinessOf(
  { outage, lagBytes, lagSeconds, waiting }: DestinationState,
  quietMs: number,
  nowMs: number,
): Readiness {
  const behind = `${lagBytes} bytes are not acknowledged, the oldest for ${formatDuration(Math.round(lagSeconds) * 1000)}`;
  const state = lagBytes === 0 ? 'all is acknowledged' : behind;
  // A clock that was set back must not hide it.
  if (outage !== undefined && Math.abs(nowMs - outage.sinceMs) >= OUTAGE_MS)
    return { isReady: false, reason: `takes nothing: ${outage.reason}; ${state}` };
  if (quietMs >= QUIET_MS)
    return { isReady: false, reason: `has acknowledged nothing for ${formatDuration(quietMs)}; ${state}` };
  const apart = waiting === 0 ? '' : `; ${waiting} documents wait that it does not take now`;
  return { isReady: true, reason: state + apart };
}
