/** Generations by path, of each path in the order in which they were added: a search must not pass thousands of others. */
export class ByPath<T extends object> {
  readonly #pathOf: (each: T) => string;
  /** Most paths have one. */
  readonly #ofPath = new Map<string, T | T[]>();

  constructor(pathOf: (each: T) => string, all: Iterable<T> = []) {
    this.#pathOf = pathOf;
    for (const each of all) this.add(each);
  }

  get size(): number {
    let size = 0;
    for (const all of this.#ofPath.values()) size += Array.isArray(all) ? all.length : 1;
    return size;
  }

  *[Symbol.iterator](): Generator<T, void> {
    for (const all of this.#ofPath.values())
      if (Array.isArray(all)) yield* all;
      else yield all;
  }

  of(path: string): readonly T[] {
    const all = this.#ofPath.get(path);
    if (all === undefined) return [];
    return Array.isArray(all) ? [...all] : [all];
  }

  add(each: T): void {
    const path = this.#pathOf(each);
    this.#set(path, [...this.of(path), each]);
  }

  delete(each: T): void {
    const path = this.#pathOf(each);
    this.#set(
      path,
      this.of(path).filter((other) => other !== each),
    );
  }

  /** Puts another in the place of one. */
  replace(each: T, other: T): void {
    const path = this.#pathOf(each);
    this.#set(
      path,
      this.of(path).map((one) => (one === each ? other : one)),
    );
  }

  #set(path: string, all: T[]): void {
    const [first] = all;
    if (first === undefined) this.#ofPath.delete(path);
    else this.#ofPath.set(path, all.length === 1 ? first : all);
  }
}
