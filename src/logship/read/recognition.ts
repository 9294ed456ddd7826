import { hash } from 'node:crypto';
import type { Generation, Rival } from '../position/generation.ts';
import { ByPath } from './by-path.ts';
import type { Content, Recognizer, Rested } from './content.ts';
import type { HeldFile } from './held-file.ts';

/** Maximum number of a path's generations that are recognized by it. */
export const RECOGNIZED = 64;
/** The same of all paths together. */
export const RECOGNIZED_OF_ALL = 4096;
const DIGEST_LENGTH = 12;

/** What was read last of a generation that nothing reads any more. */
export interface LastRead {
  readonly position: number;
  /** The bytes before the position. */
  readonly lead: Buffer;
  /** Whether a file that ends before the position may have the generation too: a copy from before the last lines. */
  readonly mayBeShorter?: boolean;
}

/** A generation and how it is recognized. */
export interface Recognized extends Recognizer {
  readonly id: string;
  readonly rivals: readonly Rival[];
  /** The number of generations for which it counts among those that start alike. */
  readonly count: number;
  /** Whether a file that starts like this may have it. */
  matches(beginning: Buffer): boolean;
}

/** Of thousands of them only digests are kept. */
class Past implements Recognized {
  readonly path: string;
  readonly nth: number;
  readonly id: string;
  readonly rivals: readonly Rival[];
  count = 1;
  readonly #head: Digest;
  readonly #position: number;
  readonly #lead: Digest;
  readonly #mayBeShorter: boolean;

  constructor(generation: Generation, nth: number, { position, lead, mayBeShorter = false }: LastRead, former?: Past) {
    this.path = generation.path;
    this.nth = nth;
    this.id = generation.id;
    // Those of a file that rested have bytes of their own.
    this.rivals = generation.rivals.map((each) => former?.rivals.find((other) => isSame(each, other)) ?? each);
    this.#head = digestOf(generation.head);
    this.#position = position;
    this.#lead = digestOf(lead);
    this.#mayBeShorter = mayBeShorter;
  }

  matches(beginning: Buffer): boolean {
    return isOf(this.#head, beginning.subarray(0, this.#head.length));
  }

  isIn(file: HeldFile): boolean {
    if (file.stat().size < this.#position) return this.#mayBeShorter;
    const before = file.before(this.#position);
    return isOf(this.#lead, before.subarray(Math.max(0, before.length - this.#lead.length)));
  }

  startsAs(other: Past): boolean {
    return this.#head.length === other.#head.length && this.#head.text === other.#head.text;
  }
}

/**
 * How generations are recognized that nothing reads any more. The oldest go. A file that has one of these is told by its start, as
 * one of an earlier run: if no other generation of the path starts alike, its lines have the IDs with which they were sent.
 * Otherwise the one that is gone still counts, so that a new generation does not get its name, with which equal lines would be
 * skipped; at worst, a file that is changed after that many rotations is sent again.
 */
export class Recognition {
  /** From the oldest. */
  readonly #all = new Set<Past>();
  readonly #ofPath = new ByPath<Past>(({ path }) => path);

  add(generation: Generation, nth: number, last: LastRead): void {
    const former = this.#ofPath.of(generation.path);
    const past = new Past(generation, nth, last, former.at(-1));
    const same = former.find((each) => each.nth === nth);
    if (same !== undefined) {
      past.count = same.count;
      this.#delete(same);
    }
    this.#all.add(past);
    this.#ofPath.add(past);
    const [oldest] = this.#all;
    if (this.#all.size > RECOGNIZED_OF_ALL && oldest !== undefined) this.#forget(oldest);
    const [first, ...others] = this.#ofPath.of(generation.path);
    if (others.length >= RECOGNIZED && first !== undefined) this.#forget(first);
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
    const all = new Map<number, Recognized>(this.#ofPath.of(path).map((each) => [each.nth, each]));
    for (const each of read) {
      const { nth, reader } = each;
      if (reader === undefined) continue;
      const generation = generationOf(each);
      all.set(nth, {
        id: generation.id,
        rivals: generation.rivals,
        count: all.get(nth)?.count ?? 1,
        matches: (beginning) => generation.matches(beginning),
        isIn: (other) => reader.isIn(other),
      });
    }
    return [...all].toSorted(([a], [b]) => a - b).map(([, each]) => each);
  }

  #forget(past: Past): void {
    this.#delete(past);
    const next = this.#ofPath.of(past.path).find((each) => each.startsAs(past));
    if (next !== undefined) next.count += past.count;
  }

  #delete(past: Past): void {
    this.#all.delete(past);
    this.#ofPath.delete(past);
  }
}

/** A digest of so many bytes. */
interface Digest {
  readonly length: number;
  readonly text: string;
}

function digestOf(bytes: Buffer): Digest {
  return { length: bytes.length, text: hash('sha256', bytes, 'base64url').slice(0, DIGEST_LENGTH) };
}

function isOf({ length, text }: Digest, bytes: Buffer): boolean {
  return bytes.length === length && digestOf(bytes).text === text;
}

function isSame(a: Rival, b: Rival): boolean {
  return a.times === b.times && a.areMany === b.areMany && a.head.equals(b.head);
}
