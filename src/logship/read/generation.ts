import { hash } from 'node:crypto';

/** So much of a file's beginning tells its contents apart; it must stay readable for as long as the file is followed. */
export const HEAD_BYTES = 256;
const NEWLINE = 10;
/** Nine base-36 digits are 100 TB. Padded, ids of one file sort together, which Lucene stores cheaply. */
const OFFSET_DIGITS = 9;
/** Beginnings of a path that are kept apart. */
const RIVALS = 64;

/** Where a generation lies, and what it began with. */
export interface Identity {
  /** Where it was written, without the `.1` that rotation may have added since. */
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  /** Milliseconds since the epoch: the time of lines that come before any dated one. */
  readonly firstSeenMs: number;
  /** Its first bytes, as far as they are known. */
  readonly head: Buffer;
  /** How earlier contents of the same path began, of those that had the same first line; the oldest first. */
  readonly rivals: readonly Rival[];
}

/** A beginning that was there before, and how often. */
interface Rival {
  readonly head: Buffer;
  readonly times: number;
  /** Several that were too many to be kept apart, and began with these bytes. */
  readonly areMany?: true;
}

/**
 * One file's content from its first byte until it is truncated or replaced. A path has many, one after the other; a rename
 * takes one along, and a copy is the same one. Documents are named after it, so that it must be found again after a
 * restart, also without a checkpoint: nothing of a name depends on when we first looked, or on where. A document's name
 * comes from source, path, and the content's first bytes up to the end of the document's own first line, 256 at most: these
 * are known whenever that line can be sent. So contents with the same first line share names only for as long as their
 * bytes are the same; there, those that we saw one after the other are told apart by number. Device and inode are left
 * out: a copy has others (logrotate's copytruncate makes one), and a restored volume.
 */
export class Generation implements Identity {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly firstSeenMs: number;
  readonly rivals: readonly Rival[];
  readonly #source: string;
  #head: Buffer;
  /** Names of the lines that begin in the head, by offset. */
  readonly #early = new Map<number, string>();
  #name: string | undefined;

  /** @param source tells apart pods that log the same first lines to the same path */
  constructor(source: string, { path, dev, ino, firstSeenMs, head, rivals }: Identity) {
    this.path = path;
    this.dev = dev;
    this.ino = ino;
    this.firstSeenMs = firstSeenMs;
    this.rivals = rivals;
    this.#source = source;
    this.#head = Buffer.from(head);
  }

  /** The name of its first line, which tells it from the other contents of its path. */
  get id(): string {
    return this.nameAt(0);
  }

  get head(): Buffer {
    return this.#head;
  }

  /** More of its beginning was read. */
  learn(beginning: Buffer): void {
    if (this.#head.length < beginning.length) this.#head = Buffer.from(beginning.subarray(0, HEAD_BYTES));
  }

  /** Whether a file that begins with these bytes may be it. */
  matches(beginning: Buffer): boolean {
    const { length } = this.#head;
    return beginning.length >= length && this.#head.equals(beginning.subarray(0, length));
  }

  /** A line that begins in the head is about to be taken; what is known of the head reaches to its end. */
  nameLine(offset: number, end: number): void {
    if (!this.#early.has(offset)) this.#early.set(offset, this.#nameOf(Math.min(end, HEAD_BYTES)));
  }

  /** Twelve characters that the id of the document at this offset begins with. */
  nameAt(offset: number): string {
    if (offset < HEAD_BYTES) return this.#early.get(offset) ?? this.#nameOf(this.#lineEnd(offset));
    return (this.#name ??= this.#nameOf(HEAD_BYTES));
  }

  /** What counts for the content that comes after this one at the same path, if it begins so. */
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
   * What counted for the latest content that began so, be it this one or an earlier; undefined when none did. It may have
   * been shorter when we saw it.
   */
  rivalsOfKnown(beginning: Buffer): readonly Rival[] | undefined {
    if (this.matches(beginning)) return this.rivals;
    const at = this.rivals.findLastIndex(
      ({ head, areMany }) => areMany !== true && head.equals(beginning.subarray(0, head.length)),
    );
    if (at === -1) return undefined;
    const { head, times } = this.rivals[at]!;
    const before = this.rivals.slice(0, at);
    return times > 1 ? [...before, { head, times: times - 1 }] : before;
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

/** Whether enough of a file is there to begin with: its first line is whole, or as long as a head. */
export function hasFirstLine(beginning: Buffer): boolean {
  return beginning.length >= HEAD_BYTES || beginning.includes(NEWLINE);
}

/** The id of the document that begins at this byte. The same line read again has the same one. */
export function documentId(generation: Generation, offset: number): string {
  return generation.nameAt(offset) + offset.toString(36).padStart(OFFSET_DIGITS, '0');
}

function areAlike(a: Rival, b: Rival): boolean {
  return a.head.equals(b.head) && a.areMany === b.areMany;
}

function together(a: Rival, b: Rival): Rival {
  return { ...a, times: a.times + b.times };
}

/**
 * One less. Of a service that begins its log with the same line each time, and goes on with a date, there is one a rotation:
 * the two oldest are kept as what they have in common. Those that are alike are one before that.
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

function firstLine(beginning: Buffer): Buffer {
  const newline = beginning.indexOf(NEWLINE);
  return beginning.subarray(0, newline === -1 ? beginning.length : newline + 1);
}
