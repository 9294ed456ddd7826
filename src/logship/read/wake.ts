import { watch as watchPath, type FSWatcher } from 'node:fs';
import { basename, join } from 'node:path';
import { codeOf, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';

const LIMITS: Readonly<Record<string, string>> = {
  ENOSPC: 'no watch is left on this node (fs.inotify.max_user_watches)',
  EMFILE: 'no inotify instance is left on this node (fs.inotify.max_user_instances)',
};

/** `watch` of `node:fs`, of a directory. */
export type Watch = (path: string, listener: (event: string, name: string | null) => void) => FSWatcher;

interface WakeOptions {
  /**
   * Called when an entry was added to a directory or removed. One change causes several calls.
   * @param path of the entry; undefined if events were lost
   */
  readonly moved: (path?: string) => void;
  /** Called when a file in a directory was written to. */
  readonly grown: (path?: string) => void;
  readonly log: Log;
  /** The watch function; by default Node's. */
  readonly watch?: Watch;
}

/**
 * Reports changes in directories, so that new, rotated and written files are noticed at once. Best effort: it may miss
 * events, and gives up if no inotify watches are left; polling finds all changes within a second. Directories only: a watch
 * per file costs as much as polling it.
 */
export class Wake implements Disposable {
  readonly #options: WakeOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  #watched: readonly string[] = [];
  #isOver = false;

  constructor(options: WakeOptions) {
    this.#options = options;
  }

  /** Whether changes are being reported. */
  get isWatching(): boolean {
    return this.#watchers.size > 0 && this.#watchers.size === this.#watched.length;
  }

  /** Watches these directories instead of the previous ones. Never throws. */
  watch(directories: readonly string[]): void {
    if (this.#isOver || (directories === this.#watched && this.isWatching)) return;
    this.#watched = directories;
    for (const [directory, watcher] of this.#watchers) {
      if (directories.includes(directory)) continue;
      watcher.close();
      this.#watchers.delete(directory);
    }
    for (const directory of directories) if (!this.#isOver && !this.#watchers.has(directory)) this.#begin(directory);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #begin(directory: string): void {
    const { watch = watchPath, moved, grown } = this.#options;
    try {
      const watcher = watch(directory, (event, name) => {
        // The directory itself was removed or moved: another one at its path is not watched.
        if (event === 'rename' && name === basename(directory)) this.#end(directory, watcher);
        const path = name === null ? undefined : join(directory, name);
        if (event === 'rename') moved(path);
        else grown(path);
      });
      watcher.on('error', (error) => this.#giveUp(error));
      this.#watchers.set(directory, watcher);
    } catch (error) {
      // It was removed meanwhile, or is not ours to read: polling finds out.
      if (LIMITS[codeOf(error) ?? ''] !== undefined) this.#giveUp(error);
    }
  }

  #end(directory: string, watcher: FSWatcher): void {
    watcher.close();
    if (this.#watchers.get(directory) === watcher) this.#watchers.delete(directory);
  }

  #giveUp(error: unknown): void {
    if (this.#isOver) return;
    this[Symbol.dispose]();
    const reason = LIMITS[codeOf(error) ?? ''] ?? messageOf(error);
    this.#options.log.warn(`new files are found by polling alone, within a second: ${reason}`);
  }
}

/** Maximum interval between polls of quiet files while the kernel reports changes. */
const LONGEST_MS = 1000;

/** The pause between two polls. Changes end it early. */
export class Changes implements Disposable {
  readonly #wake: Wake;
  #hasMoved = false;
  #onMoved = (): void => {};
  #onGrown = (): void => {};

  /** @param changed called with the path of an entry that has changed; without one, any may have */
  constructor(log: Log, changed: (path?: string) => void) {
    const moved = (path?: string) => {
      changed(path);
      this.#hasMoved = true;
      this.#onMoved();
    };
    const grown = (path?: string) => {
      changed(path);
      this.#onGrown();
    };
    this.#wake = new Wake({ moved, grown, log });
  }

  /** Whether changes in all directories are being reported. */
  get isWatching(): boolean {
    return this.#wake.isWatching;
  }

  /** Whether files have appeared or disappeared since `seen`. */
  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  /** Called when the files are listed. */
  seen(): void {
    this.#hasMoved = false;
  }

  /**
   * Watches these directories instead of the previous ones, also before the first wait: while thousands of files are read for the
   * first time, each poll would look at all of them.
   */
  watch(directories: readonly string[]): void {
    this.#wake.watch(directories);
  }

  /**
   * Resolves at once when files appeared in or disappeared from these directories; after that time when files have
   * grown or no watch is active; otherwise on the next event, at most a second later. Rejects with the signal's reason.
   */
  async wait(directories: readonly string[], ms: number, signal: AbortSignal): Promise<void> {
    this.#wake.watch(directories);
    // One timer, as each turn of an idle process looks at files.
    if (!this.#hasMoved) await this.#rest(ms, this.#wake.isWatching ? Math.max(ms, LONGEST_MS) : ms, signal);
    signal.throwIfAborted();
  }

  [Symbol.dispose](): void {
    this.#wake[Symbol.dispose]();
  }

  /** Resolves when files were moved or on abort, after `leastMs` if files have grown, and after `mostMs`. */
  async #rest(leastMs: number, mostMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    const startMs = performance.now();
    let timer = setTimeout(end, mostMs);
    this.#onMoved = end;
    this.#onGrown = () => {
      this.#onGrown = () => {};
      clearTimeout(timer);
      timer = setTimeout(end, Math.max(0, leastMs - (performance.now() - startMs)));
    };
    signal.addEventListener('abort', end, { once: true });
    await promise;
    this.#onGrown = () => {};
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

/** Waits, possibly for hours, and calls `act` at this interval. */
export async function meanwhile<T>(wait: () => Promise<T>, act: () => void, ms: number): Promise<T> {
  const timer = setInterval(act, ms);
  try {
    return await wait();
  } finally {
    clearInterval(timer);
  }
}
