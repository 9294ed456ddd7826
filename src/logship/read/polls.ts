/** Files that are polled each time, whatever the kernel reports; a stat of each costs 10 µs or more. */
const EACH_TIME = 250;

/**
 * Which of the followed files are due for a poll: all of them, or, if there are many and the kernel reports changes of their
 * directories, those that it has reported and a few others in turn. So what the kernel does not report, such as writes by
 * another client of a network file system, is found after files / 250 polls.
 */
export class Polls<T extends object> {
  readonly #changed = new Set<string>();
  #areAllDue = true;
  /** Files that are polled in turn, from the next one on. */
  #turn: MapIterator<[string, T]> | undefined;

  /** A file at this path has changed; without a path, any may have. */
  changed(path?: string): void {
    if (path === undefined) this.#areAllDue = true;
    else this.#changed.add(path);
  }

  /**
   * @param files by path
   * @param isReported whether the kernel reports changes of all their directories
   */
  due(files: ReadonlyMap<string, T>, isReported: boolean): readonly (readonly [string, T])[] {
    const areAllDue = this.#areAllDue || !isReported || files.size <= EACH_TIME;
    const changed = [...this.#changed];
    this.#changed.clear();
    // Changes from before the watch was set up.
    this.#areAllDue = !isReported;
    if (areAllDue) return [...files];
    const due = new Map(changed.flatMap((path) => (files.has(path) ? [[path, files.get(path)!] as const] : [])));
    for (let i = 0; i < EACH_TIME; i++) {
      const next = this.#next(files);
      if (next !== undefined) due.set(...next);
    }
    return [...due];
  }

  #next(files: ReadonlyMap<string, T>): [string, T] | undefined {
    this.#turn ??= files.entries();
    const { value, done } = this.#turn.next();
    if (done !== true) return value;
    this.#turn = files.entries();
    return this.#turn.next().value;
  }
}
