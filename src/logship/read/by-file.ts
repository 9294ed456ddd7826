import { ByPath } from './by-path.ts';

interface Id {
  readonly dev: number;
  readonly ino: number;
}

/** What reads files, by their devices and inodes: a search must not pass thousands of others. */
export class ByFile<T extends { readonly file: Id }> {
  readonly #keys = new Map<T, string>();
  /** Links may lead several paths to one file. */
  readonly #readers = new ByPath<T>((each) => this.#keys.get(each)!);

  of(file: Id): readonly T[] {
    return this.#readers.of(keyOf(file));
  }

  /** Adds it, or notes that its file may be another one. */
  add(each: T): void {
    this.delete(each);
    this.#keys.set(each, keyOf(each.file));
    this.#readers.add(each);
  }

  delete(each: T): void {
    if (this.#keys.has(each)) this.#readers.delete(each);
    this.#keys.delete(each);
  }
}

function keyOf({ dev, ino }: Id): string {
  return `${dev}:${ino}`;
}
