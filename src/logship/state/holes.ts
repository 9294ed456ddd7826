import { hash } from 'node:crypto';
import * as v from 'valibot';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { ignoreAbsent } from '../../fs/absent.ts';
import type { Identity } from '../position/generation.ts';
import { cannotKeep, readOwn, setAside, type StateDirectory } from './held-directory.ts';
import { replaceKeepingRoom } from './spare-room.ts';

/** A range of a file that `--reclaim` may have punched: its bytes were acknowledged by every destination. */
export interface Hole {
  readonly start: number;
  readonly end: number;
}

/** A generation, by what a copy of it has too. */
type Whose = Pick<Identity, 'path' | 'head'>;

const NAME = 'reclaimed.json';
/** Number of files whose holes are remembered: the last ones. */
const REMEMBERED = 4096;
const HEAD_LENGTH = 16;
const offset = v.pipe(v.number(), v.integer(), v.minValue(0));
const SCHEMA = v.object({
  version: v.literal(1),
  holes: v.array(v.object({ path: v.string(), head: v.string(), start: offset, end: offset })),
});

type Recorded = v.InferOutput<typeof SCHEMA>['holes'];

/**
 * The record of the holes that were punched. Any other run of NULs is what a crash has left, and ends a line. All
 * destinations share the record, because a new one reads files that were punched before it was added.
 */
export class Holes {
  readonly #directory: StateDirectory;
  readonly #holes: Map<string, Hole & { readonly path: string; readonly head: string }>;
  /** Unset if the record was lost, or if a build without a record may have punched holes. */
  readonly isComplete: boolean;
  #queue: Promise<void> = Promise.resolve();

  /** @param holes of the record; undefined if there is none */
  constructor(directory: StateDirectory, holes: Recorded | undefined) {
    this.#directory = directory;
    this.#holes = new Map((holes ?? []).map((hole) => [keyOf(hole), hole]));
    this.isComplete = holes !== undefined;
  }

  /** The hole in a generation; undefined if none was punched. */
  of(whose: Whose): Hole | undefined {
    return this.#holes.get(keyOf(named(whose)));
  }

  /** Resolves when the range is recorded on disk, so that it may be punched. Rejects with the system's error. */
  async add(whose: Whose, { start, end }: Hole): Promise<void> {
    const entry = named(whose);
    const key = keyOf(entry);
    const known = this.#holes.get(key) ?? { start, end };
    this.#holes.delete(key);
    this.#holes.set(key, { ...entry, start: Math.min(known.start, start), end: Math.max(known.end, end) });
    const [oldest] = this.#holes.keys();
    if (this.#holes.size > REMEMBERED && oldest !== undefined) this.#holes.delete(oldest);
    const written = this.#queue.then(() => this.#write());
    this.#queue = written.catch(() => {});
    await written;
  }

  async #write(): Promise<void> {
    const text = JSON.stringify({ version: 1, holes: [...this.#holes.values()] });
    await replaceKeepingRoom(this.#directory.at(NAME), text);
  }
}

/**
 * Reads the record. A damaged one is renamed.
 * @throws ConfigError if the state directory is not readable
 */
export async function openHoles(directory: StateDirectory, log: Log): Promise<Holes> {
  const file = directory.at(NAME);
  try {
    const text = await readOwn(file).catch(ignoreAbsent);
    return new Holes(directory, text === undefined ? undefined : v.parse(SCHEMA, JSON.parse(text)).holes);
  } catch (error) {
    const aside = await setAside(file).catch((cause: unknown) => {
      throw cannotKeep(directory.path, directory.inWords(messageOf(cause)), cause);
    });
    log.warn(directory.inWords(`${directory.nameOf(NAME)} is damaged (${messageOf(error)}): renamed to ${aside}`));
    return new Holes(directory, undefined);
  }
}

function named({ path, head }: Whose): { readonly path: string; readonly head: string } {
  return { path, head: hash('sha256', head, 'base64url').slice(0, HEAD_LENGTH) };
}

function keyOf({ path, head }: { readonly path: string; readonly head: string }): string {
  return `${head} ${path}`;
}
