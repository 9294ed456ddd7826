import { globSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf } from '../cli/errors.ts';
import type { Saved } from './checkpoint.ts';
import { CHUNK_BYTES, Tail, type TailOptions, type TakeLine } from './tail.ts';

/** Where lines come from: our own reader, or one that it is held against. */
export interface LineSource extends Disposable {
  /** Looks for new, renamed and removed files. */
  look(): void;
  /** Reads one chunk of each file that has more. Returns whether there is more to read now. */
  read(take: TakeLine, options: ReadOptions): Promise<boolean>;
  /** Bytes that are not acknowledged. */
  readonly left: number;
}

export interface ReadOptions {
  /** Nothing more will be read: unfinished lines count. */
  readonly final: boolean;
  /** Called before each chunk: waits for room and lets others run. Whether to go on. */
  readonly pace: () => Promise<boolean>;
}

export interface FollowOptions extends Omit<TailOptions, 'buffer'> {
  /** Globs. */
  readonly patterns: readonly string[];
  readonly now: () => number;
}

const DISCOVER_MS = 1000;
/** A writer may keep the old file this long after a rename. */
const ROTATE_WAIT_MS = 5000;

/** Follows every file that the patterns match, each through its rotations. */
export class Follower implements LineSource {
  readonly #options: FollowOptions;
  readonly #tailOptions: TailOptions;
  readonly #tails = new Map<string, Tail>();
  /** No longer at their path; read until they are quiet. */
  readonly #rotated = new Map<Tail, { sinceMs: number }>();
  readonly #unreadable = new Map<string, string>();
  #discoveredMs = -Infinity;

  constructor(options: FollowOptions) {
    this.#options = options;
    const buffer = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, options.maxLineBytes) + 2);
    this.#tailOptions = { ...options, buffer };
  }

  get left(): number {
    return this.#all.reduce((sum, tail) => sum + tail.left, 0);
  }

  get files(): number {
    return this.#tails.size;
  }

  look(): void {
    const now = this.#options.now();
    const isFirst = this.#discoveredMs === -Infinity;
    for (const [path, tail] of this.#tails) if (inodeAt(path) !== tail.ino) this.#rotate(path, tail, now);
    if (now - this.#discoveredMs < DISCOVER_MS) return;
    this.#discoveredMs = now;
    if (isFirst) this.#recover();
    for (const path of this.#matches()) if (!this.#tails.has(path)) this.#open(path);
  }

  async read(take: TakeLine, { final, pace }: ReadOptions): Promise<boolean> {
    let hasMore = false;
    for (const tail of this.#all) {
      if (!(await pace())) return hasMore;
      const isOver = this.#isQuiet(tail);
      if (tail.read(take, final || isOver)) hasMore = true;
      else if (isOver && tail.left === 0) this.#close(tail);
    }
    return hasMore;
  }

  [Symbol.dispose](): void {
    for (const tail of this.#all) tail[Symbol.dispose]();
  }

  /** The older first, so that lines leave in the order they were written. */
  get #all(): readonly Tail[] {
    return [...this.#rotated.keys(), ...this.#tails.values()];
  }

  #matches(): string[] {
    return [...new Set(globSync([...this.#options.patterns]).map((path) => resolve(path)))].toSorted();
  }

  /** Files that were renamed while nobody looked: the rest of them is found by inode beside their old name. */
  #recover(): void {
    for (const saved of this.#options.contents.awaited) {
      const { path, ino } = saved.generation;
      if (inodeAt(path) === ino) continue;
      const at = siblings(path).find((name) => inodeAt(name) === ino);
      if (at !== undefined) this.#recoverFrom(at, saved);
      else if (inodeAt(path) !== undefined) this.#drop(saved);
    }
  }

  #recoverFrom(at: string, saved: Saved): void {
    const tail = this.#tryOpen(saved.generation.path, at);
    if (tail?.isGeneration(saved.generation)) {
      this.#rotated.set(tail, { sinceMs: this.#options.now() });
      return;
    }
    tail?.[Symbol.dispose]();
    this.#drop(saved);
  }

  #drop(saved: Saved): void {
    const { path, ino } = saved.generation;
    this.#options.log.info(`${path} was replaced while we were away, and inode ${ino} is no longer beside it`);
    this.#options.contents.forget(saved);
  }

  #rotate(path: string, tail: Tail, now: number): void {
    this.#options.log.debug(`${path} was renamed or removed: reading the old file to its end`);
    this.#tails.delete(path);
    this.#rotated.set(tail, { sinceMs: now });
    if (inodeAt(path) !== undefined) this.#open(path);
  }

  #open(path: string): void {
    const tail = this.#tryOpen(path, path);
    if (tail !== undefined) this.#tails.set(path, tail);
  }

  #tryOpen(path: string, at: string): Tail | undefined {
    try {
      // Opening a pipe would wait for its writer.
      if (!statSync(at).isFile()) return undefined;
      const tail = new Tail(path, at, this.#tailOptions);
      if (this.#unreadable.delete(at)) this.#options.log.info(`${at} can be read now`);
      return tail;
    } catch (error) {
      const reason = messageOf(error);
      const isNews = this.#unreadable.get(at) !== reason;
      this.#unreadable.set(at, reason);
      if (isNews && (error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.#options.log.warn(`cannot read ${at}: ${reason}`);
      return undefined;
    }
  }

  /** Whether it was renamed or removed, and its writer has let go of it. */
  #isQuiet(tail: Tail): boolean {
    const rotated = this.#rotated.get(tail);
    if (rotated === undefined) return false;
    const now = this.#options.now();
    // A file's time may lie in the future, which must not keep it open for ever.
    return now - Math.max(rotated.sinceMs, Math.min(now, tail.modifiedMs)) >= ROTATE_WAIT_MS;
  }

  #close(tail: Tail): void {
    this.#rotated.delete(tail);
    tail[Symbol.dispose]();
  }
}

function inodeAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** What rotation may have made of a file's name: `keystone.log.1`, `keystone.log-20261121`. */
function siblings(path: string): string[] {
  const name = basename(path);
  try {
    const names = readdirSync(dirname(path)).filter((other) => other !== name && other.startsWith(name));
    return names.map((other) => join(dirname(path), other));
  } catch {
    return []; // the folder is gone too
  }
}
