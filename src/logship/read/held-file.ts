import { closeSync, fstatSync, readSync } from 'node:fs';
import type { SharedMemory } from '../bytes/memory.ts';
import { HEAD_BYTES, type Generation } from './generation.ts';
import type { Sibling } from './listing.ts';
import type { OpenLog } from './open-log.ts';

/** Number of bytes before our position that must be unchanged; otherwise the file was truncated and rewritten. */
const LEAD_BYTES = 64;

/** A file's state. */
export interface Standing {
  readonly size: number;
  /** Modification time in milliseconds by the file system's clock. */
  readonly mtimeMs: number;
}

/**
 * An open file, and our position in it. While it is open, a rename or removal loses nothing, and its inode is not
 * reused.
 */
export class HeldFile implements Disposable {
  readonly dev: number;
  readonly ino: number;
  readonly #fd: number;
  readonly #buffer: Buffer;
  readonly #scratch = Buffer.allocUnsafe(HEAD_BYTES);
  #position = 0;
  /** The bytes before our position. */
  #lead: Buffer = Buffer.alloc(0);

  /**
   * @param buffer buffer that all files share, with room for the longest read plus LEAD_BYTES
   * @throws the error of `open`
   */
  constructor(path: string, buffer: Buffer, open: OpenLog) {
    this.#buffer = buffer;
    this.#fd = open(path);
    const { dev, ino } = fstatSync(this.#fd);
    this.dev = dev;
    this.ino = ino;
  }

  /** A buffer with room for reads of this many bytes. */
  static bufferFor(bytes: number, memory?: SharedMemory): Buffer {
    return memory?.readBuffer(bytes + LEAD_BYTES) ?? Buffer.allocUnsafeSlow(bytes + LEAD_BYTES);
  }

  /** Whether this is the file with that device and inode, whatever its name. */
  isSame({ dev, ino }: { readonly dev: number; readonly ino: number }): boolean {
    return this.dev === dev && this.ino === ino;
  }

  get position(): number {
    return this.#position;
  }

  get lead(): Buffer {
    return this.#lead;
  }

  /** The file's current state, whatever its name. */
  stat(): Standing {
    return fstatSync(this.#fd);
  }

  /** Whether the file still has a name in a directory. */
  get hasName(): boolean {
    return fstatSync(this.#fd).nlink > 0;
  }

  /** The file's first bytes. The next call overwrites them. */
  beginning(): Buffer {
    return this.#scratch.subarray(0, readSync(this.#fd, this.#scratch, 0, HEAD_BYTES, 0));
  }

  /** Moves to a position, and records the bytes before it, which must stay unchanged. */
  seek(position: number): void {
    const lead = Buffer.alloc(Math.min(position, LEAD_BYTES));
    const read = readSync(this.#fd, lead, 0, lead.length, position - lead.length);
    this.#position = position;
    this.#lead = lead.subarray(0, read);
  }

  /** Whether the file has these bytes at that position. */
  has(bytes: Buffer, at: number): boolean {
    const found = Buffer.alloc(bytes.length);
    return readSync(this.#fd, found, 0, found.length, at) === bytes.length && found.equals(bytes);
  }

  /**
   * Whether the shorter file's end is in the other at the same place, as if one was copied from the other or continues it. An empty
   * file tells nothing.
   */
  agreesWith(other: HeldFile): boolean {
    const [a, b] = [this, other].toSorted((one, two) => one.stat().size - two.stat().size) as [HeldFile, HeldFile];
    const { size } = a.stat();
    const end = Buffer.alloc(Math.min(size, LEAD_BYTES));
    const read = readSync(a.#fd, end, 0, end.length, size - end.length);
    return size > 0 && read === end.length && b.hasBefore(size, end);
  }

  /** Whether the file has these bytes before that position. */
  hasBefore(position: number, lead: Buffer): boolean {
    return this.has(lead, position - lead.length);
  }

  /** Whether the file still starts with the generation's head, and the bytes before our position are unchanged. */
  holds(generation: Generation): boolean {
    return this.hasBefore(this.#position, this.#lead) && generation.matches(this.beginning());
  }

  /**
   * Up to `bytes` bytes from our position, in the shared buffer. Undefined if they belong to another generation: the
   * head is checked after the read, so bytes from before a truncation are never attributed to the content after it.
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

  /** Consumes the first bytes of a chunk. */
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

/** Maximum number of renames between listing a name and opening it. */
const MOST_RENAMES = 20;

/**
 * Opens a listed file under its current name after rotation.
 * @param look lists the current files
 * @throws the error of `open`, or an error if the file is gone
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
