import { closeSync, fstatSync, readSync } from 'node:fs';
import { HEAD_BYTES, type Generation } from './generation.ts';
import type { Sibling } from './listing.ts';
import type { OpenLog } from './open-log.ts';

/** So much before our place must be what it was, or the file was truncated and written anew. */
const LEAD_BYTES = 64;

/** How a file stands. */
export interface Standing {
  readonly size: number;
  /** Milliseconds by the file system's clock. */
  readonly mtimeMs: number;
}

/**
 * An open file and our place in it. The descriptor is held, so a rename or removal takes nothing away and the inode can't
 * be given to another file.
 */
export class HeldFile implements Disposable {
  readonly dev: number;
  readonly ino: number;
  readonly #fd: number;
  readonly #buffer: Buffer;
  readonly #scratch = Buffer.allocUnsafe(HEAD_BYTES);
  #position = 0;
  /** The bytes before our place. */
  #lead: Buffer = Buffer.alloc(0);

  /** @param buffer shared by all files; room for the longest read and LEAD_BYTES more. Throws what `open` throws. */
  constructor(path: string, buffer: Buffer, open: OpenLog) {
    this.#buffer = buffer;
    this.#fd = open(path);
    const { dev, ino } = fstatSync(this.#fd);
    this.dev = dev;
    this.ino = ino;
  }

  /** The longest read that its buffer has room for. */
  static bufferFor(bytes: number): Buffer {
    return Buffer.allocUnsafeSlow(bytes + LEAD_BYTES);
  }

  /** Whether that is the same file, however it is called. */
  isSame({ dev, ino }: { readonly dev: number; readonly ino: number }): boolean {
    return this.dev === dev && this.ino === ino;
  }

  get position(): number {
    return this.#position;
  }

  get lead(): Buffer {
    return this.#lead;
  }

  /** How it stands now, however it is called. */
  stat(): Standing {
    return fstatSync(this.#fd);
  }

  /** Whether it is still in a directory. */
  get hasName(): boolean {
    return fstatSync(this.#fd).nlink > 0;
  }

  /** Its first bytes, which the next call overwrites. */
  beginning(): Buffer {
    return this.#scratch.subarray(0, readSync(this.#fd, this.#scratch, 0, HEAD_BYTES, 0));
  }

  /** Goes to a place, and takes what lies before it for what must stay there. */
  seek(position: number): void {
    const lead = Buffer.alloc(Math.min(position, LEAD_BYTES));
    const read = readSync(this.#fd, lead, 0, lead.length, position - lead.length);
    this.#position = position;
    this.#lead = lead.subarray(0, read);
  }

  /** Whether these bytes lie there. */
  has(bytes: Buffer, at: number): boolean {
    const found = Buffer.alloc(bytes.length);
    return readSync(this.#fd, found, 0, found.length, at) === bytes.length && found.equals(bytes);
  }

  /** Whether what was read is still what it begins with, and what lies before our place. */
  holds(generation: Generation): boolean {
    return this.has(this.#lead, this.#position - this.#lead.length) && generation.matches(this.beginning());
  }

  /**
   * The bytes from our place on, at most so many, in the shared buffer. Undefined when they belong to another content: the
   * head is looked at after the read, so what was read before a truncation is never taken for what was written after it.
   */
  read(bytes: number, generation: Generation): Buffer | undefined {
    const lead = this.#lead.length;
    const read = readSync(this.#fd, this.#buffer, 0, bytes + lead, this.#position - lead);
    if (read < lead || this.#lead.compare(this.#buffer, 0, lead) !== 0) return undefined;
    const beginning = this.beginning();
    if (!generation.matches(beginning)) return undefined;
    generation.learn(beginning);
    return this.#buffer.subarray(lead, read);
  }

  /** The first so many bytes of a chunk are done with. */
  advance(chunk: Buffer, bytes: number): void {
    this.#position += bytes;
    const passed = chunk.subarray(Math.max(0, bytes - LEAD_BYTES), bytes);
    const kept = this.#lead.subarray(Math.max(0, this.#lead.length + passed.length - LEAD_BYTES));
    this.#lead = Buffer.concat([kept, passed]);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

/** Renames of one file, each between our look at its name and our opening that. */
const MOST_RENAMES = 20;

/**
 * Opens a file that was seen, under the name that rotation has given it since.
 * @param look what is there now
 * Throws what `open` throws, or that it is gone.
 */
export function hold({ at, stat }: Sibling, buffer: Buffer, open: OpenLog, look: () => readonly Sibling[]): HeldFile {
  let name: string | undefined = at;
  for (let nth = 0; name !== undefined && nth < MOST_RENAMES; nth++) {
    const file = opened(name, buffer, open);
    if (file?.ino === stat.ino && file.dev === stat.dev) return file;
    file?.[Symbol.dispose]();
    name = look().find((other) => other.stat.ino === stat.ino && other.stat.dev === stat.dev)?.at;
  }
  throw new Error('it is gone');
}

function opened(path: string, buffer: Buffer, open: OpenLog): HeldFile | undefined {
  try {
    return new HeldFile(path, buffer, open);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
