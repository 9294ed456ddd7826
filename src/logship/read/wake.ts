import type { ChokidarOptions, FSWatcher } from 'chokidar';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';

const LIMITS: Readonly<Record<string, string>> = {
  ENOSPC: 'no watch is left on this node (fs.inotify.max_user_watches)',
  EMFILE: 'no inotify instance is left on this node (fs.inotify.max_user_instances)',
};

/** chokidar's. */
export type Watch = (paths: string[], options: ChokidarOptions) => FSWatcher;

export interface WakeOptions {
  /** Something came into a folder or left it. Called at each event, several for one change. */
  readonly moved: () => void;
  /** Something in a folder was written to. */
  readonly grown: () => void;
  readonly log: Log;
  /** chokidar's, unless given. */
  readonly watch?: Watch;
}

/**
 * Tells of changes in folders, so that new, rotated and written files are seen at once. It may miss things, and where no
 * watches are left it is given up: a poll finds all of it too, up to a second later.
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

  /** Whether changes are told. */
  get isWatching(): boolean {
    return this.#isReady && !this.#isOver;
  }

  /** Watches these folders instead of those before. Resolves when that is asked for; never rejects. */
  async watch(folders: readonly string[]): Promise<void> {
    if (this.#isOver || folders === this.#watched) return;
    const gone = this.#watched.filter((folder) => !folders.includes(folder));
    this.#watched = folders;
    try {
      const watcher = (this.#watcher ??= await this.#begin());
      watcher.unwatch(gone);
      watcher.add([...folders]);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    // Nobody waits for it: what it still says is not heard.
    void this.#watcher?.close().catch(() => {});
  }

  async #begin(): Promise<FSWatcher> {
    // Heavy, and only who follows for long needs it.
    const watch = this.#options.watch ?? (await import('chokidar')).watch;
    // The folders alone: a watch a file costs as much as polling it, and an event a line more.
    const ignored = (_: string, stats?: { isFile(): boolean }) => stats?.isFile() === true;
    const watcher = watch([], { depth: 0, ignored, ignoreInitial: true, atomic: false });
    watcher.on('raw', (event) => (event === 'rename' ? this.#options.moved() : this.#options.grown()));
    watcher.on('ready', () => (this.#isReady = true));
    watcher.on('error', (error) => this.#giveUp(error));
    return watcher;
  }

  #giveUp(error: unknown): void {
    if (this.#isOver) return;
    this[Symbol.dispose]();
    const reason = LIMITS[(error as NodeJS.ErrnoException).code ?? ''] ?? messageOf(error);
    this.#options.log.warn(`new files are found by polling alone, within a second: ${reason}`);
  }
}
