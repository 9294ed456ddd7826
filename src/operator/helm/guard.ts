import { fstatSync } from 'node:fs';
import { formatDuration, LONGEST_MS } from '../../core/duration.ts';
import type { Child } from '../../process/run.ts';
import { ChartError } from './chart.ts';

/** What one Helm may use. */
export interface HelmLimits {
  /** Time for its own work, besides the Jobs that it waits for: `--timeout` does not include it. */
  readonly ownMs: number;
  readonly memoryBytes: number;
}

/** What it may render: more than Helm itself can record in a Secret. */
const OUTPUT_MAX_BYTES = 8 * 2 ** 20;
/** Go's heap grows by about a gigabyte a second at most. */
const LOOK_MS = 50;
const MIB = 2 ** 20;

/**
 * Ends one Helm that exceeds its limits. Its timeout bounds only the hooks, each for itself: a registry or an API server that
 * accepts a connection and never responds would hold it forever.
 */
export class HelmGuard implements Disposable {
  readonly #limits: HelmLimits;
  readonly #timeoutMs: number;
  readonly #stop = new AbortController();
  #deadline: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;
  /** Why it was ended; undefined if it was not. */
  problem: string | undefined;

  /** @param timeoutMs for a hook */
  constructor(limits: HelmLimits, timeoutMs: number) {
    this.#limits = limits;
    this.#timeoutMs = timeoutMs;
    this.extend();
  }

  /** Aborted at the deadline: Helm gets SIGTERM, so that it records why its release has failed. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The whole time that is left from now. */
  get limitMs(): number {
    return Math.min(this.#timeoutMs + this.#limits.ownMs, LONGEST_MS);
  }

  /** Starts the deadline again, for the next hook. */
  extend(): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => {
      const limit = formatDuration(this.limitMs);
      this.#end(`not finished after ${limit} (--helm-deadline): does its registry or the API server hang?`);
      this.#stop.abort(new Error(this.problem));
    }, this.limitMs);
  }

  /** Watches memory and output of the process. It is killed at once: SIGTERM would give it time to use more. */
  watch(child: Pick<Child, 'kill' | 'residentBytes'>, stdout: number | undefined): void {
    const { memoryBytes } = this.#limits;
    this.#looking = setInterval(() => {
      const resident = child.residentBytes() ?? 0;
      if (resident > memoryBytes)
        this.#kill(child, `it used ${mib(resident)} of memory, more than ${mib(memoryBytes)} (--helm-memory-bytes)`);
      if (stdout !== undefined && fstatSync(stdout).size > OUTPUT_MAX_BYTES)
        this.#kill(child, `its output is larger than ${mib(OUTPUT_MAX_BYTES)}`);
    }, LOOK_MS);
  }

  #kill(child: Pick<Child, 'kill'>, why: string): void {
    this.#end(why);
    child.kill();
  }

  #end(why: string): void {
    this.problem ??= `helm was killed: ${why}`;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#deadline);
    clearInterval(this.#looking);
  }
}

/** @throws ChartError for output that is too large, of a Helm that was faster than its guard */
export function requireRenderable(bytes: number): void {
  if (bytes > OUTPUT_MAX_BYTES) throw new ChartError(`the chart renders more than ${mib(OUTPUT_MAX_BYTES)}`);
}

function mib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}
