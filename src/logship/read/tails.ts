import type { Stats } from 'node:fs';
import { Awake } from './awake.ts';
import { ByFile } from './by-file.ts';
import { RotatedTails } from './rotated-tails.ts';
import type { Tail } from './tail.ts';

/** All tails of a reader: those of files at their paths, and those of rotated files. */
export class Tails implements Disposable {
  /** By path. */
  readonly current = new Map<string, Tail>();
  readonly rotated: RotatedTails;
  /** Those that have more to read. */
  readonly behind = new Set<Tail>();
  readonly awake = new Awake();
  readonly #byFile = new ByFile<Tail>();

  /** @param uptime a monotonic clock in milliseconds */
  constructor(uptime: () => number) {
    this.rotated = new RotatedTails(uptime);
  }

  /** The oldest file first, so that lines are shipped in the order in which they were written. */
  get all(): readonly Tail[] {
    return [...this.rotated, ...this.current.values()];
  }

  /** Files at their paths that have more to read, or were never read. */
  get waiting(): readonly Tail[] {
    return [...this.current.values()].filter((tail) => this.behind.has(tail) || this.awake.isFresh(tail));
  }

  /** Whether a tail reads that file. */
  readonly isFollowed = (stat: Stats): boolean => this.#byFile.of(stat).some(({ isMissing }) => !isMissing);

  found(path: string, tail: Tail): void {
    this.current.set(path, tail);
    this.awake.found(tail);
    this.#byFile.add(tail);
  }

  addRotated(tail: Tail): void {
    this.rotated.grew(tail);
    this.behind.add(tail);
    this.#byFile.add(tail);
  }

  /** Called when another file may have taken the place of the tail's. */
  adopted(tail: Tail): void {
    this.#byFile.add(tail);
  }

  remove(tail: Tail): void {
    this.rotated.delete(tail);
    this.behind.delete(tail);
    this.awake.delete(tail);
    this.#byFile.delete(tail);
    tail[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    // What rests is in the checkpoint as it is.
    for (const tail of this.all) (tail.isResting ? tail.file : tail)[Symbol.dispose]();
    // Later progress queries must not use closed files.
    this.current.clear();
    this.rotated.clear();
  }
}
