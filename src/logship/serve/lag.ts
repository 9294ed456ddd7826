import { formatDuration } from '../../core/duration.ts';
import type { FileState } from '../report/counts.ts';
import type { DestinationState } from '../report/view.ts';

/** The size of a file at a point in time. */
interface Seen {
  readonly atMs: number;
  /** Number of bytes since the start, over all generations of the path. */
  readonly written: number;
}

/** Maximum number of samples. Above it, every second sample is dropped, which makes the age less precise. */
const KEPT = 64;

/** Age of the oldest unacknowledged byte of a file. */
export class FileLag {
  #seen: Seen[] = [];

  /** @param nowMs time of a monotonic clock */
  look({ bytes, unread, left }: FileState, nowMs: number): void {
    const written = bytes + unread;
    const acknowledged = written - left;
    // Everything up to that sample has been acknowledged meanwhile.
    while (this.#seen.length > 0 && this.#seen[0]!.written <= acknowledged) this.#seen.shift();
    if (left === 0 || this.#seen.at(-1)?.written === written) return;
    this.#seen.push({ atMs: nowMs, written });
    if (this.#seen.length > KEPT) this.#seen = this.#seen.filter((_, at) => at % 2 === 0);
  }

  /** The age in milliseconds; 0 if no bytes wait. */
  age(nowMs: number): number {
    const [first] = this.#seen;
    return first === undefined ? 0 : nowMs - first.atMs;
  }
}

/** When a destination last settled a document while lines wait. */
interface Quiet {
  settled: number;
  sinceMs: number;
}

const LOOK_MS = 1000;

/** State that needs regular samples. It is sampled once a second until disposed. */
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
      // An unterminated last line is not a document yet: it waits for its writer, not for the destination.
      const isWaiting = state.lagBytes > 0 && documents > settled;
      if (this.#quiet.get(state.name)?.settled !== settled || !isWaiting)
        this.#quiet.set(state.name, { settled, sinceMs: nowMs });
    }
  }

  /** Age of the oldest waiting byte in a file, in milliseconds. */
  ofFile(destination: string, path: string, nowMs: number = performance.now()): number {
    return this.#files.get(destination)?.get(path)?.age(nowMs) ?? 0;
  }

  /** Milliseconds since a destination last settled a document while lines wait. */
  quiet(destination: string, nowMs: number = performance.now()): number {
    return nowMs - (this.#quiet.get(destination)?.sinceMs ?? nowMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #lookAtFiles({ name, lagBytes, fileStates }: DestinationState, nowMs: number): void {
    const before = this.#files.get(name);
    const lags = new Map<string, FileLag>();
    // Thousands of files may be followed, of which most wait for nothing.
    for (const file of lagBytes === 0 ? [] : fileStates()) {
      if (file.left === 0) continue;
      const lag = before?.get(file.path) ?? new FileLag();
      lag.look(file, nowMs);
      lags.set(file.path, lag);
    }
    this.#files.set(name, lags);
  }
}

interface Readiness {
  readonly isReady: boolean;
  /** The reason, which may contain host names. */
  readonly reason: string;
}

/** Transient conditions, such as a restarting server or a short overload, must not take a Pod out of service. */
export const OUTAGE_MS = 5000;
/** Longer than OUTAGE_MS, because a server may be slow. */
export const QUIET_MS = 60_000;

/**
 * Whether a destination is accepting writes.
 * @param quietMs time since the destination last settled a document while lines wait
 * @param nowMs the time since the epoch
 */
export function readinessOf(
  { outage, lagBytes, lagSeconds, waiting }: DestinationState,
  quietMs: number,
  nowMs: number,
): Readiness {
  const behind = `${lagBytes} bytes are not acknowledged, the oldest for ${formatDuration(Math.round(lagSeconds) * 1000)}`;
  const state = lagBytes === 0 ? 'everything is acknowledged' : behind;
  // A clock set back must not hide the outage.
  if (outage !== undefined && Math.abs(nowMs - outage.sinceMs) >= OUTAGE_MS)
    return { isReady: false, reason: `does not accept writes: ${outage.reason}; ${state}` };
  if (quietMs >= QUIET_MS)
    return { isReady: false, reason: `has acknowledged nothing for ${formatDuration(quietMs)}; ${state}` };
  const apart = waiting === 0 ? '' : `; ${waiting} documents wait that it rejects temporarily`;
  return { isReady: true, reason: state + apart };
}
