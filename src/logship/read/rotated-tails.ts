import { ByPath } from './by-path.ts';
import type { HeldFile } from './held-file.ts';
import type { Tail } from './tail.ts';

/** After this time without writes, the last line of a rotated file is complete, terminated or not. */
const ROTATE_WAIT_MS = 5000;
/** A rotated file that still has a name is closed after this time without writes. */
const LINGER_MS = 600_000;

/** Tails of files that are no longer at their path, from the oldest. They are read until they are quiet. */
export class RotatedTails {
  readonly #uptime: () => number;
  /** When each file last grew. */
  readonly #sinceMs = new Map<Tail, number>();
  readonly #ofPath = new ByPath<Tail>(({ path }) => path);

  /** @param uptime a monotonic clock in milliseconds */
  constructor(uptime: () => number) {
    this.#uptime = uptime;
  }

  [Symbol.iterator](): MapIterator<Tail> {
    return this.#sinceMs.keys();
  }

  has(tail: Tail): boolean {
    return this.#sinceMs.has(tail);
  }

  /** Adds the tail, or notes that its file has grown. */
  grew(tail: Tail): void {
    if (!this.has(tail)) this.#ofPath.add(tail);
    this.#sinceMs.set(tail, this.#uptime());
  }

  delete(tail: Tail): void {
    if (this.#sinceMs.delete(tail)) this.#ofPath.delete(tail);
  }

  /**
   * A file that was temporarily missing, for example below an inaccessible directory or on a volume that was mounted
   * again, is not a new generation: its tail continues.
   */
  takeBack(path: string, file: HeldFile): Tail | undefined {
    const former = this.#ofPath.of(path);
    const tail =
      former.find((each) => each.file.isSame(file)) ??
      former.find((each) => each.failure !== undefined && each.hasRead(file));
    if (tail === undefined) return undefined;
    if (tail.failure !== undefined || !tail.file.isOpen) tail.file.adopt(file);
    this.delete(tail);
    tail.isRotated = tail.hasLeft = tail.isMissing = false;
    return tail;
  }

  /** Called when a closed file of which everything was read is not found. It is not looked for, but may be back. */
  miss(tail: Tail): void {
    tail.isMissing = true;
    tail.failure = undefined;
  }

  clear(): void {
    for (const tail of this) this.delete(tail);
  }

  /** Whether a rotated file was quiet for so long that its last line is complete, terminated or not. */
  isOver(tail: Tail): boolean {
    return this.#quietMs(tail) >= ROTATE_WAIT_MS;
  }

  /** Whether the file was quiet for so long that no process writes to it any more. */
  isLeft(tail: Tail): boolean {
    return this.#quietMs(tail) >= LINGER_MS || (this.isOver(tail) && !tail.file.hasName);
  }

  #quietMs(tail: Tail): number {
    return this.#uptime() - (this.#sinceMs.get(tail) ?? Infinity);
  }
}
