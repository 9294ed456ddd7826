import type { Stats } from 'node:fs';

/** How a file stood when it was read to its end. */
export type Stamp = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs'>;

const REMEMBERED = 1000;

/** Rotated files of which nothing is left to read, unless somebody writes to them again. */
export class Finished {
  readonly #stamps = new Set<string>();

  add(stamp: Stamp): void {
    this.#stamps.add(key(stamp));
    const [oldest] = this.#stamps;
    if (this.#stamps.size > REMEMBERED && oldest !== undefined) this.#stamps.delete(oldest);
  }

  has(stamp: Stamp): boolean {
    return this.#stamps.has(key(stamp));
  }
}

function key({ dev, ino, size, mtimeMs }: Stamp): string {
  return `${dev}:${ino}:${size}:${mtimeMs}`;
}
