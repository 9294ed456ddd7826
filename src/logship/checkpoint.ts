import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { ConfigError, messageOf } from '../cli/errors.ts';
import type { Log } from '../cli/log.ts';
import { replaceFile } from '../platform/fs/replace-file.ts';
import type { Generation } from './generation.ts';
import type { Mark } from './progress.ts';

/** A generation and how far it is acknowledged. */
export interface Saved {
  readonly generation: Generation;
  readonly mark: Mark;
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const SCHEMA = v.object({
  version: v.literal(1),
  files: v.array(
    v.object({
      generation: v.object({
        id: v.string(),
        path: v.string(),
        dev: count,
        ino: count,
        head: v.object({ length: count, hash: v.string() }),
        nth: count,
        firstSeenMs: v.number(),
      }),
      mark: v.object({ offset: count, skipping: v.boolean(), timeMs: v.number() }),
    }),
  ),
});

/** Makes the state folder and reads, or makes once, the id of this source of logs. ConfigError where it can't write. */
export async function openState(folder: string, given: string | undefined): Promise<{ source: string }> {
  const file = join(folder, 'source-id');
  try {
    // Not recursive: a mistyped path shall fail, and under /proc Node's recursive mkdir never ends.
    await mkdir(folder, 0o700).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    const source = given ?? (await readFile(file, 'utf8').catch(ignoreAbsent))?.trim() ?? '';
    if (source !== '') return { source };
    const made = randomBytes(9).toString('base64url');
    await replace(file, `${made}\n`);
    return { source: made };
  } catch (cause) {
    throw new ConfigError(
      `cannot keep state in ${folder}: ${messageOf(cause)}; give --state-dir a folder that this user may write`,
      { cause },
    );
  }
}

/**
 * What earlier runs got acknowledged, from `checkpoint.json`. One that can't be read is set aside: everything is then
 * read again, and as ids stay the same, nothing is indexed twice.
 */
export async function loadCheckpoint(folder: string, log: Log): Promise<readonly Saved[]> {
  const file = join(folder, 'checkpoint.json');
  const text = await readFile(file, 'utf8').catch(ignoreAbsent);
  if (text === undefined) return [];
  try {
    return v.parse(SCHEMA, JSON.parse(text)).files;
  } catch (error) {
    const aside = `${file}.unreadable`;
    await rename(file, aside);
    log.warn(`${file} is damaged (${messageOf(error)}): set aside as ${aside}, files are read from their beginning`);
    return [];
  }
}

/** Writes checkpoints one at a time, and never stops the shipping: a full disk is said, and tried again. */
export class CheckpointWriter {
  readonly #folder: string;
  readonly #log: Log;
  #queue: Promise<void> = Promise.resolve();
  #failed = false;

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Resolves when what `collect` returns, at the time of writing, is on disk. Returns whether it is. */
  async save(collect: () => readonly Saved[]): Promise<boolean> {
    this.#queue = this.#queue.then(() => this.#write(collect()));
    await this.#queue;
    return !this.#failed;
  }

  async #write(files: readonly Saved[]): Promise<void> {
    const file = join(this.#folder, 'checkpoint.json');
    try {
      await replace(file, JSON.stringify({ version: 1, files }));
      if (this.#failed) this.#log.info(`${file} can be written again`);
      this.#failed = false;
    } catch (error) {
      if (!this.#failed)
        this.#log.warn(`cannot write ${file}: ${messageOf(error)}; shipping goes on, a restart reads again`);
      this.#failed = true;
    }
  }
}

async function replace(file: string, text: string): Promise<void> {
  await replaceFile(file, { content: Buffer.from(text), mode: 0o600, uid: -1, gid: -1 });
}

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
