import { fstatSync, readSync } from 'node:fs';
import { HEAD_BYTES, type Generation } from '../position/generation.ts';
import { GoneError } from './gone.ts';
import type { Handles, Lender } from './handles.ts';
import type { LeadNumber, Leads } from './leads.ts';
import { statOf } from './listing.ts';
import { closeLog, type OpenLog } from './open-log.ts';
import { LEAD_BYTES, Trail } from '../position/trail.ts';

const NO_BYTES = Buffer.alloc(0);
/** Where the first bytes of a file are read, of one at a time. */
const scratch = Buffer.alloc(HEAD_BYTES);
/** The descriptor of a file that is closed. */
const NONE = -1;
/** Unit of `st_blocks`, stat(2). */
const STAT_BLOCK_BYTES = 512;

/** A file's state. */
export interface Standing {
  readonly size: number;
  /** Modification time in milliseconds by the file system's clock. */
  readonly mtimeMs: number;
}

/** What a file shares with others. */
interface Sharing {
  readonly handles: Handles;
  /** The bytes before the positions of files that rest. */
  readonly leads: Leads;
}

/** What reads a file. */
interface Holder {
  readonly stake: number;
  /**
   * Opens the closed file under its present name. Undefined if it is gone; throws the error of `open`.
   * @param at the name under which it was opened last
   */
  openAgain(at: string): HeldFile | undefined;
}

/**
 * A file, and our position in it. While it is open, a rename or removal loses nothing, and its inode is not reused. If
 * handles are short, it is closed while it waits, and opened again under its present name when it is needed.
 */
export class HeldFile implements Disposable, Lender {
  #dev: number;
  #ino: number;
  #fd: number;
  /** The name under which it was opened last. */
  #at: string;
  #sharing: Sharing | undefined;
  #holder: Holder | undefined;
  #isMoved = false;
  readonly #buffer: Buffer;
  #position = 0;
  /** The bytes before our position, or where they are while the file rests. */
  #lead: Buffer | LeadNumber = NO_BYTES;
  /** The trail of the generation that is read. */
  #trail: Trail | undefined;

  /**
   * @param buffer buffer that all files share, with room for the longest read plus LEAD_BYTES
   * @throws the error of `open`
   */
  constructor(path: string, buffer: Buffer, open: OpenLog) {
    this.#buffer = buffer;
    this.#at = path;
    this.#fd = open(path);
    try {
      const { dev, ino } = fstatSync(this.#fd);
      this.#dev = dev;
      this.#ino = ino;
    } catch (error) {
      closeLog(this.#fd);
      throw error;
    }
  }

  get dev(): number {
    return this.#dev;
  }

  get ino(): number {
    return this.#ino;
  }

  /** Takes over the descriptor of another file that has the same content. The other must not be used any more. */
  adopt(other: HeldFile): void {
    if (this.isOpen) closeLog(this.#fd);
    this.#fd = other.#fd;
    this.#at = other.#at;
    other.#isMoved = true;
    this.#dev = other.#dev;
    this.#ino = other.#ino;
    this.#sharing?.handles.use(this);
  }

  /** Lets the file be closed when others need its handle. */
  share(holder: Holder, sharing: Sharing): void {
    this.#holder = holder;
    this.#sharing = sharing;
    sharing.handles.use(this);
  }

  get stake(): number {
    return this.#holder?.stake ?? Infinity;
  }

  /** Puts away what is needed only while the file is read. */
  rest(): void {
    this.#lead = this.#sharing!.leads.keep(this.lead);
    this.#trail = undefined;
  }

  /**
   * Continues after rest().
   * @param trail of the generation that is read
   */
  wake(trail: Trail): void {
    const { lead } = this;
    this.#drop();
    this.#lead = lead;
    this.#trail = trail;
    trail.start(this.#position, lead);
  }

  #drop(): void {
    if (typeof this.#lead === 'number') this.#sharing!.leads.drop(this.#lead);
    this.#lead = NO_BYTES;
  }

  lend(): void {
    closeLog(this.#fd);
    this.#fd = NONE;
  }

  get isOpen(): boolean {
    return this.#fd !== NONE;
  }

  /** The descriptor of the open file. */
  get #handle(): number {
    if (!this.isOpen) this.#openAgain();
    return this.#fd;
  }

  /** Throws GoneError, or the error of `open`. */
  #openAgain(): void {
    const file = this.#holder?.openAgain(this.#at);
    if (file === undefined) throw new GoneError('it was removed while it was closed');
    this.adopt(file);
  }

  /** Whether this is the file with that device and inode, whatever its name. */
  isSame({ dev, ino }: { readonly dev: number; readonly ino: number }): boolean {
    return this.#dev === dev && this.#ino === ino;
  }

  get position(): number {
    return this.#position;
  }

  get lead(): Buffer {
    return typeof this.#lead === 'number' ? this.#sharing!.leads.at(this.#lead) : this.#lead;
  }

  /** The file's current state, whatever its name. */
  stat(): Standing {
    return fstatSync(this.#handle);
  }

  /** Same as stat, without opening a closed file; undefined if it no longer has the name of before. */
  glance(): Standing | undefined {
    if (this.isOpen) return fstatSync(this.#fd);
    const stat = statOf(this.#at);
    return stat !== undefined && this.isSame(stat) ? stat : undefined;
  }

  /** Whether the file still has a name in a directory. A closed one is only found by it. */
  get hasName(): boolean {
    return !this.isOpen || fstatSync(this.#fd).nlink > 0;
  }

  /** Whether the descriptor can be read at all. */
  get isReadable(): boolean {
    try {
      this.beginning();
      return true;
    } catch {
      return false;
    }
  }

  /** Number of the file's bytes without disk space. */
  get unallocated(): number {
    const { size, blocks } = fstatSync(this.#handle);
    return Math.max(0, size - blocks * STAT_BLOCK_BYTES);
  }

  /** The file's first bytes. The next call overwrites them, of any file. */
  beginning(): Buffer {
    return scratch.subarray(0, readSync(this.#handle, scratch, 0, HEAD_BYTES, 0));
  }

  /**
   * Moves to a position, and records the bytes before it, which must stay unchanged.
   * @param trail of the generation that is read from there
   */
  seek(position: number, trail?: Trail): void {
    // Set first: after a failure the next read must not start elsewhere.
    this.#position = position;
    this.#drop();
    this.#trail = trail;
    trail?.start(position, NO_BYTES);
    const lead = this.before(position);
    this.#lead = lead;
    trail?.start(position, lead);
  }

  /** The bytes before an offset, LEAD_BYTES at most; fewer if the file is shorter. */
  before(offset: number): Buffer {
    return bytesBefore(this.#handle, offset);
  }

  /** Whether the file has these bytes at that position. */
  has(bytes: Buffer, at: number): boolean {
    const found = Buffer.alloc(bytes.length);
    return readSync(this.#handle, found, 0, found.length, at) === bytes.length && found.equals(bytes);
  }

  /**
   * Whether the shorter file's end is in the other at the same place, as if one was copied from the other or continues it. An empty
   * file tells nothing.
   */
  agreesWith(other: HeldFile): boolean {
    const [a, b] = [this, other].toSorted((one, two) => one.stat().size - two.stat().size) as [HeldFile, HeldFile];
    const { size } = a.stat();
    const end = Buffer.alloc(Math.min(size, LEAD_BYTES));
    const read = readSync(a.#handle, end, 0, end.length, size - end.length);
    return size > 0 && read === end.length && b.hasBefore(size, end);
  }

  /** Whether the file has these bytes before that position. */
  hasBefore(position: number, lead: Buffer): boolean {
    return this.has(lead, position - lead.length);
  }

  /** Same as hasBefore; a shorter file must end among these bytes. */
  hasUpTo(position: number, lead: Buffer): boolean {
    const missing = Math.max(0, position - this.stat().size);
    const isReached = missing === 0 || missing < lead.length;
    return isReached && this.hasBefore(position - missing, lead.subarray(0, lead.length - missing));
  }

  /** Whether the file still starts with the generation's head, and the bytes before our position are unchanged. */
  holds(generation: Generation): boolean {
    return this.hasBefore(this.#position, this.lead) && generation.matches(this.beginning());
  }

  /**
   * Up to `bytes` bytes from our position, in the shared buffer. Undefined if they belong to another generation: the
   * head is checked after the read, so bytes from before a truncation are never attributed to the content after it.
   */
  read(bytes: number, generation: Generation): Buffer | undefined {
    const before = this.lead;
    // After it rested, only the end of them is known.
    const lead = Math.min(this.#position, LEAD_BYTES);
    const read = readSync(this.#handle, this.#buffer, 0, bytes + lead, this.#position - lead);
    this.#sharing?.handles.use(this);
    if (read < lead || before.compare(this.#buffer, lead - before.length, lead) !== 0) return undefined;
    const beginning = this.beginning();
    if (!generation.matches(beginning)) return undefined;
    generation.learn(beginning);
    if (before.length < lead) this.#lead = Buffer.from(this.#buffer.subarray(0, lead));
    if (before.length < lead) this.#trail?.start(this.#position, this.lead);
    return this.#buffer.subarray(lead, read);
  }

  /** Consumes the first bytes of a chunk. */
  advance(chunk: Buffer, bytes: number): void {
    this.#position += bytes;
    this.#trail ??= new Trail();
    this.#lead = this.#trail.pass(chunk, bytes);
  }

  [Symbol.dispose](): void {
    this.#sharing?.handles.delete(this);
    this.#drop();
    if (!this.#isMoved && this.isOpen) closeLog(this.#fd);
  }
}

/** The bytes of an open file before an offset, LEAD_BYTES at most; fewer if the file is shorter. */
export function bytesBefore(fd: number, offset: number): Buffer {
  const bytes = Buffer.alloc(Math.min(offset, LEAD_BYTES));
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, offset - bytes.length));
}
