/** Generations in the order in which they were added, also of one path: a search must not pass thousands of others. */
export class ByPath<T extends { readonly generation: { readonly path: string } }> {
  readonly #all = new Set<T>();
  readonly #ofPath = new Map<string, Set<T>>();

  constructor(all: Iterable<T> = []) {
    for (const each of all) this.add(each);
  }

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): SetIterator<T> {
    return this.#all.values();
  }

  of(path: string): readonly T[] {
    return [...(this.#ofPath.get(path) ?? [])];
  }

  add(each: T): void {
    const { path } = each.generation;
    const same = this.#ofPath.get(path);
    if (same === undefined) this.#ofPath.set(path, new Set([each]));
    else same.add(each);
    this.#all.add(each);
  }

  delete(each: T): void {
    const { path } = each.generation;
    const same = this.#ofPath.get(path);
    same?.delete(each);
    if (same?.size === 0) this.#ofPath.delete(path);
    this.#all.delete(each);
  }
}
