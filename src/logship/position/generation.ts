import { hash } from 'node:crypto';
import { digest as lineDigest } from '#log-tables';

/** Number of leading bytes that identify a generation. They must stay readable while the file is followed. */
export const HEAD_BYTES = 256;
const NEWLINE = 10;
/**
 * Nine base-36 digits cover 100 TB. Padded, ids of one file sort together, which Lucene stores efficiently. With a
 * digest an ID has 28 characters of base64, which Elasticsearch stores as 21 bytes.
 */
const OFFSET_DIGITS = 9;
/** Maximum number of distinct starts kept per path. */
const RIVALS = 64;

/** Where a generation is, and how it starts. */
export interface Identity {
  /** The path while the file was being written, without the suffix of a later rotation. */
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  /** Timestamp of lines before the first dated line, in milliseconds since the epoch. */
  readonly firstSeenMs: number;
  /** The generation's first bytes, as far as they are known. */
  readonly head: Buffer;
  /** Starts of earlier generations of the path with the same first line, from the oldest. */
  readonly rivals: readonly Rival[];
  /**
   * Offset from which IDs contain a digest of their line. Lines before it may have been sent without one; undefined if
   * the checkpoint is from a build whose IDs had none.
   */
  readonly digestFrom?: number | undefined;
}

/** An earlier start, and how often it occurred. */
export interface Rival {
  readonly head: Buffer;
  readonly times: number;
  /** Set if the entry represents several starts with this common prefix, because there were too many to keep. */
  readonly areMany?: true;
}

/**
 * A file's content from its first byte until it is truncated or replaced. A path has many generations, one after the
 * other. A rename moves a generation, and a copy is the same generation. Document IDs start with the generation's name,
 * which must be the same after a restart, even without a checkpoint: it does not depend on when or where the generation
 * was first seen. The name in a document's ID is a digest of source, path, and the first bytes of the generation up to
 * the end of the document's first line, at most 256: these are known whenever that line can be sent. So generations
 * with the same first line share names only while their bytes are equal; those with equal bytes are numbered in the
 * order in which they were seen. Device and inode are excluded: copies have others (logrotate's copytruncate), and so
 * do restored volumes. After the name and the offset an ID has a digest of its line, because a generation may change
 * after it was read: a power failure, its owner or a restored snapshot cuts it, and other lines follow at offsets that
 * were sent before.
 */
export class Generation implements Identity {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly firstSeenMs: number;
  readonly rivals: readonly Rival[];
  readonly digestFrom: number;
  readonly #source: string;
  #head: Buffer;
  /** Names of the lines that start in the head, by offset. */
  readonly #early = new Map<number, string>();
  #name: string | undefined;

  /**
   * @param source distinguishes Pods that log the same first lines to the same path
   */
  constructor(source: string, { path, dev, ino, firstSeenMs, head, rivals, digestFrom = 0 }: Identity) {
    this.path = path;
    this.dev = dev;
    this.ino = ino;
    this.firstSeenMs = firstSeenMs;
    this.rivals = rivals;
    this.digestFrom = digestFrom;
    this.#source = source;
    this.#head = Buffer.from(head);
  }

  /** The name of the first line, which distinguishes the generation from others of the path. */
  get id(): string {
    return this.nameAt(0);
  }

  get head(): Buffer {
    return this.#head;
  }

  /** Called when more bytes of the generation's start were read. */
  learn(beginning: Buffer): void {
    if (this.#head.length < beginning.length) this.#head = Buffer.from(beginning.subarray(0, HEAD_BYTES));
  }

  /** Whether a file that starts like this may be this generation. */
  matches(beginning: Buffer): boolean {
    const { length } = this.#head;
    return beginning.length >= length && this.#head.equals(beginning.subarray(0, length));
  }

  /** Called before a line that starts in the head is read. The known head covers the end of that line. */
  nameLine(offset: number, end: number): void {
    if (!this.#early.has(offset)) this.#early.set(offset, this.#nameOf(Math.min(end, HEAD_BYTES)));
  }

  /** The first twelve characters of the ID of the document at this offset. */
  nameAt(offset: number): string {
    if (offset < HEAD_BYTES) return this.#early.get(offset) ?? this.#nameOf(this.#lineEnd(offset));
    return (this.#name ??= this.#nameOf(HEAD_BYTES));
  }

  /** The earlier starts that apply to the next generation of the path, if it starts like this one. */
  rivalsOfNext(beginning: Buffer): readonly Rival[] {
    const first = firstLine(beginning);
    const rivals: Rival[] = [];
    for (const rival of [...this.rivals, { head: this.#head, times: 1 }]) {
      if (!rival.head.subarray(0, first.length).equals(first)) continue;
      const last = rivals.at(-1);
      if (last !== undefined && areAlike(last, rival)) rivals[rivals.length - 1] = together(last, rival);
      else rivals.push(rival);
    }
    if (rivals.length > RIVALS) shorten(rivals);
    return rivals;
  }

  /**
   * The earlier starts that applied to the latest generation with this start, this one or an earlier one; undefined if
   * there is none. That generation may have been shorter when it was seen.
   * @param others number of the latest generations with this start that it is not
   */
  rivalsOfKnown(beginning: Buffer, others = 0): readonly Rival[] | undefined {
    let left = others;
    if (this.matches(beginning) && left-- === 0) return this.rivals;
    for (const [at, { head, times, areMany }] of [...this.rivals.entries()].toReversed()) {
      if (areMany === true || !head.equals(beginning.subarray(0, head.length))) continue;
      const before = this.rivals.slice(0, at);
      if (left < times) return left + 1 < times ? [...before, { head, times: times - left - 1 }] : before;
      left -= times;
    }
    return undefined;
  }

  #lineEnd(offset: number): number {
    const newline = this.#head.indexOf(NEWLINE, offset);
    return newline === -1 ? this.#head.length : newline + 1;
  }

  #nameOf(length: number): string {
    const bytes = this.#head.subarray(0, length);
    const alike = this.rivals.filter(({ head }) => head.subarray(0, length).equals(bytes));
    const nth = alike.reduce((sum, { times }) => sum + times, 0);
    const parts = JSON.stringify([this.#source, this.path, bytes.toString('latin1'), nth]);
    return hash('sha256', parts, 'base64url').slice(0, 12);
  }
}

/** Whether a file has enough content to start: a complete first line, or the length of a head. */
export function hasFirstLine(beginning: Buffer): boolean {
  return beginning.length >= HEAD_BYTES || beginning.includes(NEWLINE);
}

/**
 * The id of the document that starts at this byte. Reading the same line again yields the same id.
 * @param text of the event, or its first line
 */
export function documentId(generation: Generation, offset: number, text: Buffer): string {
  const digest = offset < generation.digestFrom ? '' : lineDigest(text);
  return generation.nameAt(offset) + offset.toString(36).padStart(OFFSET_DIGITS, '0') + digest;
}

function areAlike(a: Rival, b: Rival): boolean {
  return a.head.equals(b.head) && a.areMany === b.areMany;
}

function together(a: Rival, b: Rival): Rival {
  return { ...a, times: a.times + b.times };
}

/**
 * Drops one entry by merging two: duplicates if there are any, otherwise the two oldest, which become their common
 * prefix. A service that starts its log with the same line followed by a date adds one entry per rotation.
 */
function shorten(rivals: Rival[]): void {
  const twice = rivals.findIndex((rival, at) => rivals.findIndex((other) => areAlike(other, rival)) < at);
  if (twice !== -1) {
    const [again] = rivals.splice(twice, 1) as [Rival];
    const at = rivals.findIndex((other) => areAlike(other, again));
    rivals[at] = together(rivals[at]!, again);
    return;
  }
  const [a, b] = rivals.splice(0, 2) as [Rival, Rival];
  rivals.unshift({ head: common(a.head, b.head), times: a.times + b.times, areMany: true });
}

function common(a: Buffer, b: Buffer): Buffer {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.subarray(0, length);
}

/** The first line with its newline, as far as it is known. */
export function firstLine(beginning: Buffer): Buffer {
  const newline = beginning.indexOf(NEWLINE);
  return beginning.subarray(0, newline === -1 ? beginning.length : newline + 1);
}
