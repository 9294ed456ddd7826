import type { Stats } from 'node:fs';
import { addClosed, fileStatesOf, type FileState } from '../report/counts.ts';
import { DedupedWarnings } from '../report/deduped-warnings.ts';
import { readBuffer } from './bytes.ts';
import { Discover, Finished } from './discover.ts';
import { Failures, unreadable, type Unreadable } from './failure.ts';
import type { FollowOptions } from './follow-options.ts';
import { Handles } from './handles.ts';
import { HeldFile } from './held-file.ts';
import { Leads } from './leads.ts';
import type { LineSource, ReadOptions } from './line-reader.ts';
import type { TakeLine } from './take-line.ts';
import { statOf, type Beside } from './listing.ts';
import { logOpener } from './open-log.ts';
import { revive } from './revive.ts';
import { Polls } from './polls.ts';
import { Rotated } from './rotated.ts';
import type { Displaced, TailOptions } from './tail-options.ts';
import { Tail } from './tail.ts';
import { Tails } from './tails.ts';
import { Unopened } from './unopened.ts';
import { Changes, meanwhile } from './wake.ts';

/** Minimum intervals: between searches for files, and between polls while there is much to read. */
const [DISCOVER_MS, LOOK_MS] = [1000, 50];

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
  readonly #tailOptions: TailOptions<Tail>;
  readonly #discover: Discover;
  readonly #rotation: Rotated;
  readonly #changes: Changes;
  readonly #polls = new Polls<Tail>();
  readonly #handles: Handles;
  readonly #tails = new Tails(() => this.#uptime());
  #added = 0;
  readonly #finished = new Finished();
  /** Last modification of the file that left its path, if there is no file at the path now. */
  readonly #absentMs = new Map<string, number>();
  readonly #sinceMs: number;
  /** Totals over former generations of each path. */
  readonly #closed = new Map<string, { readonly lines: number; readonly bytes: number }>();
  readonly #warnings: DedupedWarnings;
  readonly #unopened: Unopened;
  readonly #failures: Failures;
  #lookedMs = -Infinity;
  #discoveredMs = -Infinity;
  #checkedMs = -Infinity;
  #hasMore = false;

  constructor(options: FollowOptions) {
    const { patterns, root, excludes = [], stateDir, maxLineBytes, log, uptime = () => performance.now() } = options;
    this.#options = options;
    this.#uptime = uptime;
    this.#sinceMs = (options.sinceMs ?? Date.now()) - DISCOVER_MS;
    this.#handles = options.handles ?? new Handles({ log });
    const opener = logOpener({ patterns, root, isOwn: options.isOwn });
    const open = (path: string) => this.#handles.open(() => opener(path));
    const displaced = (tail: Tail, what: Displaced) => this.#addRotated(this.#rotation.displaced(tail, what));
    const parts = { open, displaced, beside: (path: string) => this.#rotation.beside(path), handles: this.#handles };
    this.#tailOptions = { ...options, ...parts, leads: new Leads(), buffer: readBuffer(maxLineBytes) };
    this.#discover = new Discover({ patterns, excludes, stateDir });
    this.#warnings = new DedupedWarnings(log);
    this.#unopened = new Unopened(this.#warnings);
    this.#rotation = new Rotated({
      ...this.#tailOptions,
      list: options.list,
      isKnown: ({ stat }) => this.#tails.isFollowed(stat) || this.#finished.has(stat),
      finish: ({ stat }) => this.#finished.add(stat),
    });
    this.#failures = new Failures({
      log,
      revive: (tail) => {
        const isRevived = revive(tail, { open, beside: parts.beside, isFollowed: this.#tails.isFollowed });
        this.#tails.adopted(tail);
        return isRevived;
      },
      lost: (tail, reason, isGone) => this.#lose(tail, reason, isGone),
    });
    this.#changes = new Changes(log, (path) => this.#polls.changed(path));
  }

  get left(): number {
    return this.#tails.all.reduce((sum, tail) => sum + tail.left, 0);
  }

  get files(): number {
    return this.#tails.current.size;
  }

  /** The state of each path that is followed or whose last generation is still being read. */
  get fileStates(): readonly FileState[] {
    return fileStatesOf(this.#tails.all, (tail) => this.#tails.rotated.has(tail), this.#closed);
  }

  /** Why files cannot be read at present, by path. */
  get unreadable(): ReadonlyMap<string, Unreadable> {
    return unreadable(this.#tails.all, this.#unopened.errors, this.#rotation.leftAlone.values());
  }

  look(all = false): void {
    if (all) this.#polls.changed();
    const now = this.#uptime();
    if (this.#hasMore && now - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = now;
    this.#tails.awake.rest(now);
    for (const [path, tail] of this.#polls.due(this.#tails.current, this.#changes.isWatching)) this.#lookAt(path, tail);
    for (const tail of this.#tails.rotated) this.#failures.attempt(tail, () => this.#lookAtRotated(tail));
    if (now - this.#discoveredMs < DISCOVER_MS && !this.#changes.hasMoved) return;
    this.#discoverAt(now);
    this.#handles.report(this.#tails.current.size);
  }

  async read(take: TakeLine, options: ReadOptions): Promise<boolean> {
    const { final, mayCut = true, isHeld = () => false, isStalled = false, pace } = options;
    for (const tail of this.#tails.awake.begin(final, isStalled)) this.#tails.behind.add(tail);
    this.#hasMore = this.#tails.awake.hasFresh;
    const [added, unfinished, beganMs] = [this.#added, new Set<string>(), this.#uptime()];
    for (const tail of final ? this.#tails.all : new Set([...this.#tails.rotated, ...this.#tails.behind])) {
      // An event may start in a rotated file and end in its successor, which is read after the older file.
      if (unfinished.has(tail.path)) continue;
      const isOver = this.#tails.rotated.isOver(tail);
      if (!final && !this.#tails.behind.has(tail) && !(isOver && tail.left > 0)) continue;
      if (!tail.isResting && tail.content !== undefined && isHeld(tail.content)) {
        unfinished.add(tail.path);
        continue;
      }
      // A round over thousands of files takes long.
      this.#checkSince(Math.max(beganMs, this.#checkedMs));
      if (!(await meanwhile(pace, () => this.#patrol(), DISCOVER_MS))) return this.#hasMore;
      // Files that were found meanwhile are older, and are read first.
      if (this.#added !== added) return (this.#hasMore = true);
      if (tail.isClosed) continue;
      if (this.#failures.read(tail, () => tail.read(take, mayCut && (final || isOver)))) {
        this.#hasMore = true;
        unfinished.add(tail.path);
      } else this.#tails.behind.delete(tail);
      this.#tails.awake.read(tail, this.#uptime());
    }
    // Those that are held, or not begun, whatever is read of others.
    this.#checkSince(this.#checkedMs);
    return (this.#hasMore ||= this.#added !== added);
  }

  /** While there is no room to read, rotated files are opened before they are compressed or removed. */
  #patrol(): void {
    this.look();
    this.#checkSince();
  }

  /**
   * Looks whether files that wait to be read were truncated, whose copies are soon compressed or removed.
   * @param sinceMs when this was done last
   */
  #checkSince(sinceMs = -Infinity): void {
    const now = this.#uptime();
    if (now - sinceMs < DISCOVER_MS) return;
    this.#checkedMs = now;
    for (const tail of this.#tails.waiting) this.#failures.attempt(tail, () => tail.check());
  }

  async changed(ms: number, signal: AbortSignal): Promise<void> {
    await this.#changes.wait(this.#discover.directories, ms, signal);
  }

  [Symbol.dispose](): void {
    this.#changes[Symbol.dispose]();
    this.#tails[Symbol.dispose]();
  }

  #lookAt(path: string, tail: Tail): void {
    const stat = statOf(path);
    if (stat === undefined || !tail.file.isSame(stat)) this.#rotate(path, tail, stat);
    else if (tail.isBehind(stat) && !this.#tails.awake.isFresh(tail)) this.#tails.behind.add(tail);
  }

  #rotate(path: string, tail: Tail, stat: Stats | undefined): void {
    this.#options.log.debug(`${path} was renamed or removed: reading the old file to its end`);
    this.#tails.current.delete(path);
    tail.hasLeft = true;
    this.#addRotated([tail]);
    // While it was closed: it is looked for before it is removed or compressed.
    if (!tail.file.isOpen) this.#failures.attempt(tail, () => tail.file.stat());
    // The file now at the path is opened first, so that it does not count as a generation in between.
    if (stat !== undefined) this.#open(path);
    this.#addRotated(this.#rotation.renamed(tail));
    this.#absentMs.set(path, tail.modifiedMs);
  }

  #discoverAt(now: number): void {
    const isFirst = this.#discoveredMs === -Infinity;
    this.#discoveredMs = now;
    this.#changes.seen();
    const files = this.#discover.look().filter((path) => !this.#tails.current.has(path));
    this.#changes.watch(this.#discover.directories);
    const origins = new Map(files.map((path) => [path, this.#discover.originOf(path)]));
    const places = files.filter((path) => origins.get(path) === undefined);
    const empty = this.#discover.takeOrigins().filter((path) => !this.#tails.current.has(path));
    // Files at their paths first, then rotated ones next to them: one renamed meanwhile is open already, or is found there.
    for (const path of places) this.#open(path, isFirst && this.#options.firstStart === 'end');
    const beside = this.#rotation.lookAround();
    const awaited = isFirst ? this.#recover(beside) : new Set<string>();
    // Generations that appeared and were rotated at a path while no file was open there.
    for (const path of new Set([...empty, ...places.filter((each) => this.#tails.current.has(each))])) {
      if (awaited.has(path)) continue;
      this.#addRotated(this.#rotation.absent(path, this.#absentMs.get(path) ?? this.#sinceMs, beside));
    }
    for (const [path, origin] of origins) {
      if (origin === undefined) continue;
      if (isFirst && this.#options.firstStart === 'beginning')
        this.#addRotated(this.#rotation.older(origin, path, beside));
      else {
        const what = `${path} matches, but was rotated from ${origin}: it is not shipped again`;
        this.#warnings.warn(`rotated ${origin}`, what);
      }
    }
  }

  /** Finds files of the checkpoint that have moved. Returns the checkpoint's paths. */
  #recover(beside: Beside): ReadonlySet<string> {
    const { awaited } = this.#options.contents;
    // The last entry of a path is the latest.
    for (const { generation, modifiedMs } of awaited) this.#absentMs.set(generation.path, modifiedMs);
    this.#addRotated(this.#rotation.away((path) => this.#tails.current.get(path)?.file, beside));
    return new Set(awaited.map(({ generation }) => generation.path));
  }

  #open(path: string, fromEnd = false): void {
    using opened = new DisposableStack();
    try {
      const stat = statOf(path);
      // Opening a FIFO would wait for its writer.
      if (stat?.isFile() === false) return this.#warnings.warn(path, `${path} is not a file: it is not followed`);
      const file = opened.use(new HeldFile(path, this.#tailOptions.buffer, this.#tailOptions.open));
      const tail =
        this.#tails.rotated.takeBack(path, file) ?? new Tail({ path, file, isRotated: false }, this.#tailOptions);
      if (fromEnd) tail.skipToEnd();
      if (tail.file === file) opened.move();
      this.#tails.found(path, tail);
      this.#unopened.opened(path);
    } catch (error) {
      this.#unopened.failed(path, error);
    }
  }

  /** @returns whether there were any tails */
  #addRotated(tails: readonly Tail[]): boolean {
    for (const tail of tails) this.#tails.addRotated(tail);
    this.#added += tails.length;
    return tails.length > 0;
  }

  #lookAtRotated(tail: Tail): void {
    if (!tail.isMissing && tail.isBehind(tail.file.glance() ?? tail.file.stat())) {
      this.#tails.rotated.grew(tail);
      this.#tails.behind.add(tail);
    } else if (this.#tails.rotated.isLeft(tail) && tail.left === 0) this.#close(tail);
  }

  #lose(tail: Tail, reason: string, isGone: boolean): void {
    const { path, unread: lost } = tail;
    if (isGone) {
      // The next look finds out that it has left its path.
      if (this.#tails.current.get(path) === tail) return this.#polls.changed(path);
      this.#rotation.gone(tail);
      if (lost === 0) return this.#tails.rotated.miss(tail);
    } else {
      this.#options.counts.lostBytes += lost;
      const what = `${path} was rotated and removed by another client: ${lost} unread bytes are lost: ${reason}`;
      this.#options.log.warn(what, { lost });
    }
    // A directory that still lists it does not make it another one.
    for (const { stat } of this.#rotation.beside(path)) if (tail.file.isSame(stat)) this.#finished.add(stat);
    // Another file at the path is discovered as after a rotation.
    if (this.#tails.current.get(path) === tail) this.#tails.current.delete(path);
    this.#absentMs.set(path, tail.modifiedMs);
    this.#remove(tail);
  }

  #close(tail: Tail): void {
    const { size, mtimeMs } = tail.file.glance() ?? { size: tail.size, mtimeMs: tail.modifiedMs };
    this.#finished.add({ dev: tail.file.dev, ino: tail.file.ino, size, mtimeMs });
    this.#remove(tail);
  }

  #remove(tail: Tail): void {
    addClosed(this.#closed, tail, this.#tails.current.has(tail.path));
    this.#tails.remove(tail);
  }
}
