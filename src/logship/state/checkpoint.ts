import { rename, stat } from 'node:fs/promises';
import * as v from 'valibot';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { ignoreAbsent } from '../../fs/absent.ts';
import { isThere } from '../../fs/access.ts';
import type { Identity } from '../read/generation.ts';
import type { Cut, Mark } from '../read/progress.ts';
import { readOwn, type StateDirectory } from './held-directory.ts';
import { replaceKeepingRoom } from './spare-room.ts';

/** A generation, and the position up to which it is acknowledged. */
export interface Saved {
  readonly generation: Identity;
  readonly mark: Mark;
  /** The cuts after the mark. */
  readonly cuts: readonly Cut[];
  /** The last modification that was seen, in milliseconds by the file system's clock; -1 if unknown. */
  readonly modifiedMs: number;
  /**
   * Set if the generation is fully acknowledged and no longer at its path. The entry is then only needed to name a
   * later generation that starts alike.
   */
  readonly isOver?: true;
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const bytes = v.pipe(
  v.string(),
  v.base64(),
  v.transform((text) => Buffer.from(text, 'base64')),
);
const VERSION = 2;
const IDENTITY = v.object({
  path: v.string(),
  dev: count,
  ino: count,
  firstSeenMs: v.number(),
  head: bytes,
  rivals: v.array(v.object({ head: bytes, times: count, areMany: v.exactOptional(v.literal(true)) })),
});
const SCHEMA = v.object({
  version: v.literal(VERSION),
  former: v.optional(v.array(IDENTITY), []),
  files: v.array(
    v.object({
      generation: IDENTITY,
      mark: v.object({ offset: count, skipping: v.boolean(), timeMs: v.number() }),
      cuts: v.array(
        v.object({
          start: count,
          at: count,
          onto: v.exactOptional(v.object({ generation: v.string(), to: count })),
        }),
      ),
      modifiedMs: v.number(),
    }),
  ),
});

function textOf(all: readonly Saved[]): string {
  const files = all
    .filter(({ isOver }) => isOver !== true)
    .map(({ generation, mark: { offset, skipping, timeMs }, cuts, modifiedMs }) => ({
      generation: plain(generation),
      mark: { offset, skipping, timeMs },
      cuts,
      modifiedMs,
    }));
  const former = all.filter(({ isOver }) => isOver).map(({ generation }) => plain(generation));
  return JSON.stringify({ version: VERSION, files, former });
}

function plain({ path, dev, ino, firstSeenMs, head, rivals }: Identity) {
  return {
    path,
    dev,
    ino,
    firstSeenMs,
    head: head.toString('base64'),
    rivals: rivals.map((rival) => ({ ...rival, head: rival.head.toString('base64') })),
  };
}

/** The entry of a generation that is fully acknowledged and no longer at its path. */
export function over(generation: Identity): Saved {
  return { generation, mark: { offset: 0, skipping: false, timeMs: 0 }, cuts: [], modifiedMs: -1, isOver: true };
}

/** The state that an earlier run has left. */
export interface Loaded {
  readonly files: readonly Saved[];
  /** Set if there is no checkpoint, because no line has been shipped yet. */
  readonly isFirstStart: boolean;
  /**
   * When the checkpoint was written, in milliseconds by the file system's clock; undefined if there is no checkpoint.
   */
  readonly savedMs: number | undefined;
}

/**
 * Positions acknowledged by earlier runs. An unreadable checkpoint is renamed: everything is then read again, and as
 * ids stay the same, nothing is indexed twice. Rejects with the system's error.
 */
export async function loadCheckpoint(directory: StateDirectory, log: Log, name: string): Promise<Loaded> {
  const file = directory.at(name);
  let text = '';
  try {
    const found = await readOwn(file).catch(ignoreAbsent);
    if (found === undefined) return { files: [], isFirstStart: true, savedMs: undefined };
    text = found;
    const { files, former } = v.parse(SCHEMA, JSON.parse(text));
    return { files: [...former.map(over), ...files], isFirstStart: false, savedMs: (await stat(file)).mtimeMs };
  } catch (error) {
    const aside = await freeName(`${file}.unreadable`);
    await rename(file, aside);
    const what = `${directory.nameOf(name)} is ${isOfOthers(text) ? 'of another version' : 'damaged'} (${messageOf(error)})`;
    log.warn(directory.inWords(`${what}: renamed to ${aside}, files are read from the start`));
    return { files: [], isFirstStart: false, savedMs: undefined };
  }
}

/** Whether another version has written the checkpoint. */
function isOfOthers(text: string): boolean {
  try {
    return (JSON.parse(text) as { version?: unknown } | null)?.version !== VERSION;
  } catch {
    return false;
  }
}

/** An unused path, because a checkpoint that was renamed before may be needed for diagnosis. */
async function freeName(path: string): Promise<string> {
  for (let n = 0; ; n++) {
    const name = n === 0 ? path : `${path}.${n}`;
    if (!(await isThere(name))) return name;
  }
}

/** Writes checkpoints one at a time without stopping the shipping: a full disk is logged, and the write retried. */
export class CheckpointWriter {
  readonly #directory: StateDirectory;
  readonly #name: string;
  readonly #log: Log;
  #queue: Promise<void> = Promise.resolve();
  #failed = false;
  /** The last state that is known to be on disk. */
  saved: readonly Saved[] = [];

  /** @param name the file's name; each destination has its own */
  constructor(directory: StateDirectory, log: Log, name: string) {
    this.#directory = directory;
    this.#name = name;
    this.#log = log;
  }

  /** Resolves when the result of `collect` at the time of writing is on disk. Returns whether it is. */
  async save(collect: () => readonly Saved[]): Promise<boolean> {
    this.#queue = this.#queue.then(() => this.#write(collect()));
    await this.#queue;
    return !this.#failed;
  }

  async #write(files: readonly Saved[]): Promise<void> {
    const file = this.#directory.nameOf(this.#name);
    try {
      await replaceKeepingRoom(this.#directory.at(this.#name), textOf(files));
      this.saved = files;
      if (this.#failed) this.#log.info(`${file} can be written again`);
      this.#failed = false;
    } catch (error) {
      if (!this.#failed)
        this.#log.warn(
          `cannot write ${file}: ${this.#directory.inWords(messageOf(error))}; shipping continues, a ` +
            'restart reads lines again',
        );
      this.#failed = true;
    }
  }
}
