import { hash } from 'node:crypto';
import type { Mark } from './progress.ts';

/** Number of bytes before a position that must be unchanged; otherwise the file was truncated and rewritten. */
export const LEAD_BYTES = 1024;

/** The digest of the bytes before an offset, LEAD_BYTES at most. */
export interface Proof {
  readonly offset: number;
  readonly digest: string;
}

/** An acknowledged position. It is trusted if the bytes before its proof, which is not before it, are unchanged. */
export interface Point {
  readonly mark: Mark;
  readonly proof: Proof;
}

/** What a checkpoint knows about the bytes that were read of a generation. */
export interface Known {
  /** Acknowledged positions from the oldest. The last one is that of the checkpoint, unless nothing is acknowledged. */
  readonly points: readonly Point[];
  /** Digests of the bytes before fixed offsets, which tell whether a cut file still is the same one. */
  readonly rungs: readonly string[];
}

/** A file whose bytes can be compared. */
interface Provable {
  stat(): { readonly size: number };
  /** The bytes before an offset, LEAD_BYTES at most; fewer if the file is shorter. */
  before(offset: number): Buffer;
}

const FIRST_RUNG = 512;
const RUNG_FACTOR = 4;
/** The nearest earlier point is kept within this distance, the next ones within four times as much each. */
const NEAREST_BYTES = 4096;
const DIGEST_LENGTH = 12;
const NO_BYTES = Buffer.alloc(0);
/** The entry of a rung whose bytes were not read, or tell nothing. */
const UNKNOWN = '';

/**
 * Remembers what the bytes of a generation were when they were read. If a file differs before the saved position, the
 * latest earlier point with unchanged bytes is found: as ids contain offset and line, lines that are read again are not
 * indexed twice. Few points are kept, each at a multiple of the distance of the one after it.
 */
export class Trail {
  readonly #rungs: string[];
  #points: readonly Point[];
  #position = 0;
  #lead: Buffer = NO_BYTES;
  /** The bytes before the last position that does not follow two NULs: another file may have NULs too. */
  #evidence: { readonly offset: number; readonly bytes: Buffer } = { offset: 0, bytes: NO_BYTES };

  constructor({ points, rungs }: Known = { points: [], rungs: [] }) {
    this.#points = points;
    this.#rungs = [...rungs];
  }

  /** Up to which the generation was read. */
  get position(): number {
    return this.#position;
  }

  /** Called when reading starts at a position. */
  start(position: number, lead: Buffer): void {
    this.#position = position;
    this.#lead = lead;
    this.#evidence = { offset: position, bytes: lead };
  }

  /**
   * Called when the first bytes of a chunk were consumed.
   * @returns the bytes before the new position
   */
  pass(chunk: Buffer, bytes: number): Buffer {
    const from = this.#position;
    const lead = (to: number) => {
      const passed = chunk.subarray(Math.max(0, to - LEAD_BYTES), to);
      return Buffer.concat([this.#lead.subarray(Math.max(0, this.#lead.length + passed.length - LEAD_BYTES)), passed]);
    };
    for (let nth = rungsUpTo(from); rungAt(nth) <= from + bytes; nth++) {
      while (this.#rungs.length < nth) this.#rungs.push(UNKNOWN);
      this.#rungs[nth] = evidenceOf(lead(rungAt(nth) - from));
    }
    const byteAt = (at: number) => (at < 0 ? this.#lead.at(at) : chunk[at]);
    let end = bytes;
    while (end > 0 && byteAt(end - 1) === 0 && byteAt(end - 2) === 0) end--;
    if (end > 0) this.#evidence = { offset: from + end, bytes: lead(end) };
    this.#lead = end === bytes && end > 0 ? this.#evidence.bytes : lead(bytes);
    this.#position = from + bytes;
    return this.#lead;
  }

  /** What the checkpoint records, if this is the acknowledged position. */
  at(mark: Mark): Known {
    const last = this.#points.at(-1);
    if (mark.offset > 0 && last?.mark.offset !== mark.offset) {
      const proof = { offset: this.#evidence.offset, digest: digestOf(this.#evidence.bytes) };
      this.#points = [...thinned(this.#points, mark.offset), { mark, proof }];
    }
    return { points: this.#points, rungs: [...this.#rungs] };
  }
}

/** The part of what is known that is before a position. */
export function knownUpTo(offset: number, { points, rungs }: Known): Known {
  return { points: points.filter(({ mark }) => mark.offset <= offset), rungs: rungs.slice(0, rungsUpTo(offset)) };
}

/** Whether the bytes before the proof's offset are unchanged. */
export function isProved(file: Provable, { offset, digest }: Proof): boolean {
  return file.stat().size >= offset && digestOf(file.before(offset)) === digest;
}

/**
 * The position from which a file that starts like the generation must be read again, because it was cut after it was
 * read; undefined if only its start is the same.
 * @param start of the generation
 * @param isInPlace whether it is the file that was read, and no copy: then its start is enough if there is no more
 */
export function lastUnchanged(file: Provable, known: Known, start: Mark, isInPlace: boolean): Mark | undefined {
  const point = known.points.findLast(({ proof }) => isProved(file, proof));
  if (point !== undefined) return point.mark;
  const isSmall = isInPlace && file.stat().size < FIRST_RUNG;
  // Files of a service may all start with the same banner.
  const proofs = proofsOf(known).filter(({ offset }) => isInPlace || offset > FIRST_RUNG);
  return isSmall || proofs.some((proof) => isProved(file, proof)) ? start : undefined;
}

function proofsOf({ rungs }: Known): readonly Proof[] {
  return rungs.flatMap((digest, nth) => (digest === UNKNOWN ? [] : [{ offset: rungAt(nth), digest }]));
}

function rungAt(nth: number): number {
  return FIRST_RUNG * RUNG_FACTOR ** nth;
}

/** Number of rungs up to an offset. */
function rungsUpTo(offset: number): number {
  let count = 0;
  while (rungAt(count) <= offset) count++;
  return count;
}

/** The digest of a rung's bytes. NULs are in every file with a hole at that offset. */
function evidenceOf(bytes: Buffer): string {
  return bytes.some((byte) => byte !== 0) ? digestOf(bytes) : UNKNOWN;
}

function digestOf(bytes: Buffer): string {
  return hash('sha256', bytes, 'base64url').slice(0, DIGEST_LENGTH);
}

/** The oldest point of each step of distance from an offset. */
function thinned(points: readonly Point[], offset: number): Point[] {
  const kept = new Map<number, Point>();
  for (const point of points) {
    const distance = Math.max(1, (offset - point.mark.offset) / NEAREST_BYTES);
    const step = Math.floor(Math.log2(distance) / 2);
    if (!kept.has(step)) kept.set(step, point);
  }
  return [...kept.values()];
}
