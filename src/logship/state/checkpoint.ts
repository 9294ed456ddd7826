import { stat } from 'node:fs/promises';
import * as v from 'valibot';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { ignoreAbsent } from '../../fs/absent.ts';
import type { Identity } from '../position/generation.ts';
import { plain, textOfEntry, type EntryText } from './entry-text.ts';
import { readOwn, setAside, type StateDirectory } from './held-directory.ts';
import type { Saved } from './saved.ts';
import { replaceKeepingRoom } from './spare-room.ts';

/** An entry, or its text. */
export type Entry = Saved | EntryText;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const bytes = v.pipe(
  v.string(),
  v.base64(),
  v.transform((text) => Buffer.from(text, 'base64')),
);
const VERSION = 2;
const MARK = v.object({ offset: count, skipping: v.boolean(), timeMs: v.number() });
const POINT = v.object({ mark: MARK, proof: v.object({ offset: count, digest: v.string() }) });
const IDENTITY = v.object({
  path: v.string(),
  dev: count,
  ino: count,
  firstSeenMs: v.number(),
  head: bytes,
  rivals: v.array(v.object({ head: bytes, times: count, areMany: v.exactOptional(v.literal(true)) })),
  digestFrom: v.exactOptional(count),
});
const SCHEMA = v.object({
  version: v.literal(VERSION),
  former: v.optional(v.array(IDENTITY), []),
  indexGeneration: v.optional(count, 0),
  files: v.array(
    v.object({
      generation: IDENTITY,
      mark: MARK,
      cuts: v.array(
        v.object({
          start: count,
          at: count,
          onto: v.exactOptional(v.object({ generation: v.string(), to: count })),
        }),
      ),
      undated: v.exactOptional(v.array(v.object({ at: count, timeMs: v.number(), to: count }))),
      modifiedMs: v.number(),
      size: v.exactOptional(count),
      trail: v.exactOptional(v.object({ points: v.array(POINT), rungs: v.array(v.string()) })),
    }),
  ),
});

function textOf(all: readonly Entry[], indexGeneration: number | undefined): string {
  const files: string[] = [];
  const former: Identity[] = [];
  for (const each of all)
    if ('text' in each) files.push(each.text);
    else if (each.isOver === true) former.push(each.generation);
    else files.push(textOfEntry(each));
  const rest = JSON.stringify({ former: former.map(plain), indexGeneration });
  return `{"version":${VERSION},"files":[${files.join()}],${rest.slice(1)}`;
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
  /** The earliest generation of the target to which lines after the positions may have been sent; 0 if unknown. */
  readonly indexGeneration: number;
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
    if (found === undefined) return { files: [], isFirstStart: true, savedMs: undefined, indexGeneration: 0 };
    text = found;
    const { files, former, indexGeneration } = v.parse(SCHEMA, JSON.parse(text));
    const savedMs = (await stat(file)).mtimeMs;
    return { files: [...former.map(over), ...files], isFirstStart: false, savedMs, indexGeneration };
  } catch (error) {
    const aside = await setAside(file);
    const what = `${directory.nameOf(name)} is ${isOfOthers(text) ? 'of another version' : 'damaged'} (${messageOf(error)})`;
    log.warn(directory.inWords(`${what}: renamed to ${aside}, files are read from the start`));
    return { files: [], isFirstStart: false, savedMs: undefined, indexGeneration: 0 };
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

/** Writes checkpoints one at a time without stopping the shipping: a full disk is logged, and the write retried. */
export class CheckpointWriter {
  readonly #directory: StateDirectory;
  readonly #name: string;
  readonly #log: Log;
  #queue: Promise<void> = Promise.resolve();
  #failed = false;
  readonly #room = { bytes: 0 };
  /** The last state that is known to be on disk. */
  saved: readonly Entry[] = [];

  /** @param name the file's name; each destination has its own */
  constructor(directory: StateDirectory, log: Log, name: string) {
    this.#directory = directory;
    this.#name = name;
    this.#log = log;
  }

  /** Resolves when the results of both at the time of writing are on disk. Returns whether they are. */
  async save(collect: () => readonly Entry[], indexGeneration?: () => number | undefined): Promise<boolean> {
    this.#queue = this.#queue.then(() => this.#write(collect(), indexGeneration?.()));
    await this.#queue;
    return !this.#failed;
  }

  async #write(files: readonly Entry[], indexGeneration: number | undefined): Promise<void> {
    const file = this.#directory.nameOf(this.#name);
    try {
      await replaceKeepingRoom(this.#directory.at(this.#name), textOf(files, indexGeneration), this.#room);
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
