import type { ChokidarOptions, FSWatcher } from 'chokidar';
import { codeOf, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';

const LIMITS: Readonly<Record<string, string>> = {
  ENOSPC: 'no watch is left on this node (fs.inotify.max_user_watches)',
  EMFILE: 'no inotify instance is left on this node (fs.inotify.max_user_instances)',
};

/** System calls on an entry of a directory. */
const ENTRY_CALLS = new Set(['lstat', 'stat', 'open', 'scandir']);

/** chokidar's watch(). */
export type Watch = (paths: string[], options: ChokidarOptions) => FSWatcher;

interface WakeOptions {
  /** Called when an entry was added to a directory or removed. One change causes several calls. */
  readonly moved: () => void;
  /** Called when a file in a directory was written to. */
  readonly grown: () => void;
  readonly log: Log;
  /** The watch function; by default chokidar's. */
  readonly watch?: Watch;
}

/**
 * Reports changes in directories, so that new, rotated and written files are noticed at once. Best effort: it may miss
 * events, and gives up if no inotify watches are left; polling finds all changes within a second.
 */
export class Wake implements Disposable {
  readonly #options: WakeOptions;
  #watcher: FSWatcher | undefined;
  #watched: readonly string[] = [];
  #isReady = false;
  #isOver = false;

  constructor(options: WakeOptions) {
    this.#options = options;
  }

  /** Whether changes are being reported. */
  get isWatching(): boolean {
    return this.#isReady && !this.#isOver;
  }

  /** Watches these directories instead of the previous ones. Resolves when the watch is requested; never rejects. */
  async watch(directories: readonly string[]): Promise<void> {
    if (this.#isOver || directories === this.#watched) return;
    const gone = this.#watched.filter((directory) => !directories.includes(directory));
    // chokidar keeps another listener each time that a directory is added.
    const added = directories.filter((directory) => !this.#watched.includes(directory));
    this.#watched = directories;
    if (gone.length + added.length === 0) return;
    try {
      const watcher = (this.#watcher ??= await this.#begin());
      watcher.unwatch(gone);
      watcher.add(added);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    // Later events of this watch are ignored.
    void this.#watcher?.close().catch(() => {});
  }

  async #begin(): Promise<FSWatcher> {
    // Loaded lazily: the package is large, and only following files needs it.
    const watch = this.#options.watch ?? (await import('chokidar')).watch;
    // Watches directories only. A watch per file costs as much as polling it, plus an event per line.
    const ignored = (_: string, stats?: { isFile(): boolean }) => stats?.isFile() === true;
    const watcher = watch([], { depth: 0, ignored, ignoreInitial: true, atomic: false });
    watcher.on('raw', (event) => (event === 'rename' ? this.#options.moved() : this.#options.grown()));
    watcher.on('ready', () => (this.#isReady = true));
    watcher.on('error', (error) => {
      // A single entry that cannot be read says nothing about the watch.
      if (!ENTRY_CALLS.has((error as NodeJS.ErrnoException).syscall ?? '')) this.#giveUp(error);
    });
    return watcher;
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
  #hasGrown = false;
  #onMoved = (): void => {};
  #onGrown = (): void => {};

  constructor(log: Log) {
    const moved = () => {
      this.#hasMoved = true;
      this.#onMoved();
    };
    const grown = () => {
      this.#hasGrown = true;
      this.#onGrown();
    };
    this.#wake = new Wake({ moved, grown, log });
  }

  /** Whether files have appeared or disappeared since `seen`. */
  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  /** Called when the files were listed. */
  seen(): void {
    this.#hasMoved = false;
  }

  /**
   * Resolves at once when files appeared in or disappeared from these directories; after that time when files have
   * grown or no watch is active; otherwise on the next event, at most a second later. Rejects with the signal's reason.
   */
  async wait(directories: readonly string[], ms: number, signal: AbortSignal): Promise<void> {
    void this.#wake.watch(directories);
    this.#hasGrown = false;
    if (!this.#hasMoved) await this.#rest(ms, signal);
    if (!this.#hasMoved && !this.#hasGrown && this.#wake.isWatching) {
      this.#onGrown = () => this.#onMoved();
      await this.#rest(Math.max(0, LONGEST_MS - ms), signal);
      this.#onGrown = () => {};
    }
    signal.throwIfAborted();
  }

  [Symbol.dispose](): void {
    this.#wake[Symbol.dispose]();
  }

  /** Resolves after that time, on a change, or on abort. */
  async #rest(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    const timer = setTimeout(end, ms);
    this.#onMoved = end;
    signal.addEventListener('abort', end, { once: true });
    await promise;
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
