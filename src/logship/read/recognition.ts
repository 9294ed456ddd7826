import type { Generation } from '../position/generation.ts';
import type { Content, Recognizer, Rested } from './content.ts';

/** Maximum number of a path's generations that are recognized by it. */
const RECOGNIZED = 64;
const MOST_PATHS = 4096;

/** A generation and how it is recognized. */
export interface Recognized extends Recognizer {
  readonly generation: Generation;
  /** Its number in the order in which they were begun. */
  readonly nth: number;
}

/** How generations are recognized that nothing reads any more. */
export class Recognition {
  /** By path and number. */
  readonly #all = new Map<string, Map<number, Recognized>>();

  add(each: Recognized): void {
    const { path } = each.generation;
    const all = this.#all.get(path) ?? new Map<number, Recognized>();
    all.set(each.nth, each);
    const [oldest] = all.keys();
    if (all.size > RECOGNIZED && oldest !== undefined) all.delete(oldest);
    this.#all.set(path, all);
    const [first] = this.#all.keys();
    if (this.#all.size > MOST_PATHS && first !== undefined) this.#all.delete(first);
  }

  /**
   * Those of a path, from the oldest.
   * @param read those that may be read, which are recognized by what reads them
   */
  of(
    path: string,
    read: readonly (Content | Rested)[],
    generationOf: (each: Content | Rested) => Generation,
  ): readonly Recognized[] {
    const all = new Map(this.#all.get(path));
    for (const each of read) {
      const { nth, reader } = each;
      if (reader !== undefined)
        all.set(nth, { generation: generationOf(each), nth, isIn: (other) => reader.isIn(other) });
    }
    return [...all.values()].toSorted((a, b) => a.nth - b.nth);
  }
}
