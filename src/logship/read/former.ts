import type { Generation } from '../position/generation.ts';

/** Number of paths whose last generation is remembered, to name the next one. */
const REMEMBERED = 4096;
/** Maximum number of these generations in the checkpoint. */
const MOST_SAVED = 256;

interface Known {
  readonly generation: Generation;
  /** Its number in the order in which they were begun. */
  readonly nth: number;
}

/** The last generation of each path that is no longer read. */
export class Former {
  readonly #all = new Map<string, Known>();
  /** The time of the last dated line of generations that were read to their end, by path. */
  readonly #lastMs = new Map<string, number>();

  /** @param lastMs the time of its last dated line; NaN if there was none */
  add(generation: Generation, nth: number, lastMs: number): void {
    const { path } = generation;
    if (!Number.isNaN(lastMs)) this.#lastMs.set(path, lastMs);
    if ((this.#all.get(path)?.nth ?? -1) > nth) return;
    this.#all.delete(path);
    this.#all.set(path, { generation, nth });
    const [oldest] = this.#all.keys();
    if (this.#all.size <= REMEMBERED || oldest === undefined) return;
    this.#all.delete(oldest);
    this.#lastMs.delete(oldest);
  }

  of(path: string): Known | undefined {
    return this.#all.get(path);
  }

  lastMsOf(path: string): number | undefined {
    return this.#lastMs.get(path);
  }

  /** The latest ones of other paths than these, for the checkpoint. */
  others(paths: ReadonlySet<string>): readonly Generation[] {
    const others = [...this.#all.values()].filter(({ generation }) => !paths.has(generation.path));
    return others.slice(-MOST_SAVED).map(({ generation }) => generation);
  }
}
