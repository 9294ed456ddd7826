import type { Stats } from 'node:fs';
import { messageOf } from '../../core/errors.ts';
import { fileStatesOf, type FileState } from '../counts.ts';
import { DedupedWarnings } from '../deduped-warnings.ts';
import { Discover, Finished } from './discover.ts';
import { HeldFile } from './held-file.ts';
import type { LineSource, ReadOptions, TakeLine } from './line-reader.ts';
import { statOf, type Beside, type Sibling } from './listing.ts';
import { logOpener } from './open-log.ts';
import { Rotated } from './rotated.ts';
import { Tail, tailBuffer, type Displaced, type FollowOptions, type TailOptions } from './tail.ts';
import { Changes } from './wake.ts';

const DISCOVER_MS = 1000;
/** Minimum interval between polls while there is much to read. */
const LOOK_MS = 50;
/** After this time without writes, the last line of a rotated file is complete, terminated or not. */
const ROTATE_WAIT_MS = 5000;
/** A rotated file that still has a name is closed after this time without writes. */
const LINGER_MS = 600_000;

/**
 * Follows every file that matches the patterns through its rotations.
 *
 *   discover (globs) -> tails: one per file, and one per rotated generation
 *   look: a tail whose file has left its path continues as rotated until it is quiet
 *   read: one chunk of each -> lines; truncated content is looked for next to the file (rotated)
 */
export class Follower implements LineSource {
  readonly #options: FollowOptions;
  readonly #uptime: () => number;
  readonly #tailOptions: TailOptions;
  readonly #discover: Discover;
  readonly #rotation: Rotated;
  readonly #changes: Changes;
  readonly #tails = new Map<string, Tail>();
  /** Tails of files that are no longer at their path. They are read until they are quiet. */
  readonly #rotated = new Map<Tail, Quiet>();
  /** Number of tails that were added. */
  #added = 0;
  readonly #finished = new Finished();
  /** Last modification of the file that left its path, if there is no file at the path now. */
  readonly #absentMs = new Map<string, number>();
  readonly #sinceMs: number;
  /** Totals over former generations of each path. */
  readonly #closed = new Map<string, { readonly lines: number; readonly bytes: number }>();
  readonly #warnings: DedupedWarnings;
  #behind = new Set<Tail>();
  #lookedMs = -Infinity;
  #discoveredMs = -Infinity;
  #hasMore = false;

  constructor(options: FollowOptions) {
    const { patterns, root, excludes = [], stateDir, maxLineBytes, log, uptime = () => performance.now() } = options;
    this.#options = options;
    this.#uptime = uptime;
    this.#sinceMs = (options.sinceMs ?? Date.now()) - DISCOVER_MS;
    const displaced = (tail: Tail, what: Displaced) => this.#addRotated(this.#rotation.displaced(tail, what));
    const open = logOpener({ patterns, root, isOwn: options.isOwn });
    this.#tailOptions = { ...options, buffer: tailBuffer(maxLineBytes, options.memory), open, displaced };
    this.#discover = new Discover({ patterns, excludes, stateDir });
    this.#warnings = new DedupedWarnings(log);
    this.#rotation = new Rotated({
      ...this.#tailOptions,
      list: options.list,
      isKnown: (sibling) => this.#isKnown(sibling),
      finish: ({ stat }) => this.#finished.add(stat),
    });
    this.#changes = new Changes(log);
  }

  get left(): number {
    return this.#all.reduce((sum, tail) => sum + tail.left, 0);
  }

  get files(): number {
    return this.#tails.size;
  }

  /** The state of each path that is followed or whose last generation is still being read. */
  get fileStates(): readonly FileState[] {
    return fileStatesOf(this.#all, (tail) => this.#rotated.has(tail), this.#closed);
  }

  look(): void {
    const now = this.#uptime();
    if (this.#hasMore && now - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = now;
    for (const [path, tail] of this.#tails) this.#lookAt(path, tail);
    for (const [tail, quiet] of this.#rotated) this.#lookAtRotated(tail, quiet, now);
    if (now - this.#discoveredMs >= DISCOVER_MS || this.#changes.hasMoved) this.#discoverAt(now);
  }

  async read(take: TakeLine, { final, mayCut = true, pace }: ReadOptions): Promise<boolean> {
    this.#hasMore = false;
    const added = this.#added;
    const unfinished = new Set<string>();
    for (const tail of this.#all) {
      // An event may start in a rotated file and end in its successor, which is read after the older file.
      if (unfinished.has(tail.path)) continue;
      const isOver = this.#isOver(tail);
      if (!final && !this.#behind.has(tail) && !(isOver && tail.left > 0)) continue;
      if (!(await this.#paced(pace))) return this.#hasMore;
      // Files that were found meanwhile are older, and are read first.
      if (this.#added !== added) return (this.#hasMore = true);
      if (tail.isClosed) continue;
      if (this.#attempt(tail, () => tail.read(take, mayCut && (final || isOver)))) {
        this.#hasMore = true;
        unfinished.add(tail.path);
      } else this.#behind.delete(tail);
    }
    return this.#hasMore;
  }

  /**
   * While there is no room to read, possibly for hours, rotated files are opened before they are compressed or removed.
   */
  async #paced(pace: ReadOptions['pace']): Promise<boolean> {
    const patrol = setInterval(() => this.#patrol(), DISCOVER_MS);
    try {
      return await pace();
    } finally {
      clearInterval(patrol);
    }
  }

  #patrol(): void {
    this.look();
    for (const tail of [...this.#tails.values()].filter((each) => this.#behind.has(each)))
      this.#attempt(tail, () => tail.check());
  }

  async changed(ms: number, signal: AbortSignal): Promise<void> {
    await this.#changes.wait(this.#discover.directories, ms, signal);
  }

  [Symbol.dispose](): void {
    this.#changes[Symbol.dispose]();
    for (const tail of this.#all) tail[Symbol.dispose]();
    // Later progress queries must not use closed files.
    this.#tails.clear();
    this.#rotated.clear();
  }

  /** The oldest file first, so that lines are shipped in the order in which they were written. */
  get #all(): readonly Tail[] {
    return [...this.#rotated.keys(), ...this.#tails.values()];
  }

  #lookAt(path: string, tail: Tail): void {
    const stat = statOf(path);
    if (stat === undefined || !tail.file.isSame(stat)) this.#rotate(path, tail, stat);
    else if (tail.isBehind(stat)) this.#behind.add(tail);
  }

  #rotate(path: string, tail: Tail, stat: Stats | undefined): void {
    this.#options.log.debug(`${path} was renamed or removed: reading the old file to its end`);
    this.#tails.delete(path);
    this.#addRotated([tail]);
    // The file now at the path is opened first, so that it does not count as a generation in between.
    if (stat !== undefined) this.#open(path);
    this.#addRotated(this.#rotation.renamed(tail));
    this.#absentMs.set(path, tail.modifiedMs);
  }

  #discoverAt(now: number): void {
    const isFirst = this.#discoveredMs === -Infinity;
    this.#discoveredMs = now;
    this.#changes.seen();
    const files = this.#discover.look().filter((path) => !this.#tails.has(path));
    const origins = new Map(files.map((path) => [path, this.#discover.originOf(path)]));
    const places = files.filter((path) => origins.get(path) === undefined);
    const empty = this.#discover.takeOrigins().filter((path) => !this.#tails.has(path));
    // Files at their paths come first, then rotated files next to them. A file that was renamed meanwhile is already
    // open, or is found there.
    for (const path of places) this.#open(path, isFirst && this.#options.firstStart === 'end');
    const beside = this.#rotation.lookAround();
    const awaited = isFirst ? this.#recover(beside) : new Set<string>();
    // Generations that appeared and were rotated at a path while no file was open there.
    for (const path of new Set([...empty, ...places.filter((each) => this.#tails.has(each))])) {
      if (awaited.has(path)) continue;
      this.#addRotated(this.#rotation.absent(path, this.#absentMs.get(path) ?? this.#sinceMs, beside));
    }
    for (const [path, origin] of origins) {
      if (origin === undefined) continue;
      if (isFirst && this.#options.firstStart === 'beginning')
        this.#addRotated(this.#rotation.older(origin, path, beside));
      else
        this.#warnings.warn(
          `rotated ${origin}`,
          `${path} matches, but was rotated from ${origin}: it is not shipped again`,
        );
    }
  }

  /**
   * Finds files of the checkpoint that have moved.
   * @returns the checkpoint's paths
   */
  #recover(beside: Beside): ReadonlySet<string> {
    const { awaited } = this.#options.contents;
    // The last entry of a path is the latest.
    for (const { generation, modifiedMs } of awaited) this.#absentMs.set(generation.path, modifiedMs);
    this.#addRotated(this.#rotation.away((path) => this.#tails.get(path)?.file, beside));
    return new Set(awaited.map(({ generation }) => generation.path));
  }

  #open(path: string, fromEnd = false): void {
    try {
      const stat = statOf(path);
      // Opening a FIFO would wait for its writer.
      if (stat?.isFile() === false) return this.#warnings.warn(path, `${path} is not a file: it is not followed`);
      const file = new HeldFile(path, this.#tailOptions.buffer, this.#tailOptions.open);
      const tail = this.#takeBack(path, file) ?? new Tail({ path, file, isRotated: false }, this.#tailOptions);
      if (fromEnd) tail.skipToEnd();
      this.#tails.set(path, tail);
      this.#behind.add(tail);
      this.#warnings.over(path, `${path} can be read now`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.#warnings.warn(path, `cannot read ${path}: ${messageOf(error)}`);
    }
  }

  /**
   * A file that was temporarily missing, for example below an inaccessible directory, is not a new generation: its tail
   * continues.
   */
  #takeBack(path: string, file: HeldFile): Tail | undefined {
    const tail = [...this.#rotated.keys()].find((each) => each.path === path && each.file.isSame(file));
    if (tail === undefined) return undefined;
    file[Symbol.dispose]();
    this.#rotated.delete(tail);
    tail.isRotated = false;
    return tail;
  }

  /** @returns whether there were any tails */
  #addRotated(tails: readonly Tail[]): boolean {
    const sinceMs = this.#uptime();
    for (const tail of tails) {
      this.#rotated.set(tail, { sinceMs });
      this.#behind.add(tail);
    }
    this.#added += tails.length;
    return tails.length > 0;
  }

  /** An unreadable file does not block the others. */
  #attempt<T>(tail: Tail, act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      this.#warnings.warn(tail.path, `cannot read ${tail.path}: ${messageOf(error)}`);
      return undefined;
    }
  }

  #lookAtRotated(tail: Tail, quiet: Quiet, now: number): void {
    if (tail.isBehind(tail.file.stat())) {
      quiet.sinceMs = now;
      this.#behind.add(tail);
      return;
    }
    const quietMs = now - quiet.sinceMs;
    const isLeft = quietMs >= LINGER_MS || (quietMs >= ROTATE_WAIT_MS && !tail.file.hasName);
    if (isLeft && tail.left === 0) this.#close(tail);
  }

  /** Whether a rotated file was quiet for so long that its last line is complete, terminated or not. */
  #isOver(tail: Tail): boolean {
    const quiet = this.#rotated.get(tail);
    return quiet !== undefined && this.#uptime() - quiet.sinceMs >= ROTATE_WAIT_MS;
  }

  #isKnown({ stat }: Sibling): boolean {
    return this.#all.some(({ file }) => file.isSame(stat)) || this.#finished.has(stat);
  }

  #close(tail: Tail): void {
    const { size, mtimeMs } = tail.file.stat();
    this.#finished.add({ dev: tail.file.dev, ino: tail.file.ino, size, mtimeMs });
    this.#rotated.delete(tail);
    const { lines = 0, bytes = 0 } = this.#closed.get(tail.path) ?? {};
    this.#closed.set(tail.path, { lines: lines + tail.lines, bytes: bytes + tail.bytes });
    if (!this.#tails.has(tail.path)) this.#closed.delete(tail.path);
    this.#behind.delete(tail);
    tail[Symbol.dispose]();
  }
}

/** When the rotated file last grew. */
interface Quiet {
  sinceMs: number;
}
