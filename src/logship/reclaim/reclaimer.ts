import { fstatSync, readSync } from 'node:fs';
import { codeOf, isSystemError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { DedupedWarnings } from '../report/deduped-warnings.ts';
import { BLOCK_BYTES, NEVER_GIVEN_BACK_BYTES } from '../read/bytes.ts';
import type { Identity } from '../position/generation.ts';
import { bytesBefore } from '../read/held-file.ts';
import { closeLog, type OpenLog } from '../read/open-log.ts';
import type { Mark } from '../position/progress.ts';
import { isProved, type Known } from '../position/trail.ts';
import type { Holes } from '../state/holes.ts';
import type { Punch, Range } from './hole-punch.ts';

/** How far a generation is acknowledged: the part of a checkpoint entry that matters here. */
export interface Acknowledged {
  readonly generation: Pick<Identity, 'path' | 'ino' | 'head'>;
  readonly mark: Pick<Mark, 'offset'>;
  /** What proves the mark. Without it nothing is reclaimed. */
  readonly trail?: Pick<Known, 'points'>;
}

interface ReclaimOptions {
  readonly punch: Punch;
  /** The content of each destination's checkpoint on disk. */
  readonly saved: () => readonly (readonly Acknowledged[])[];
  /** Acknowledged bytes to keep in each file. */
  readonly keepBytes: number;
  readonly open: OpenLog;
  /** The record of holes, which tells them from the NULs of a crash when the file is read again. */
  readonly holes: Pick<Holes, 'add'>;
  readonly log: Log;
}

const FULL = new Set(['ENOSPC', 'EDQUOT']);
/** Number of bytes after which a file is retried whose range the system refused to reclaim. */
const AGAIN_BYTES = 16 * 1024 * 1024;

/** Reclaims, file by file, lines that all destinations have acknowledged. */
export class Reclaimer {
  readonly #options: ReclaimOptions;
  /** For each generation the offset up to which it was reclaimed. */
  readonly #done = new Map<string, number>();
  /** For each generation whose range the system refused to reclaim: the offset from which it is retried. */
  readonly #refusedAt = new Map<string, number>();
  readonly #warnings: DedupedWarnings;
  #isOff = false;
  /** Number of bytes reclaimed. */
  bytes = 0;

  constructor(options: ReclaimOptions) {
    this.#options = options;
    this.#warnings = new DedupedWarnings(options.log);
  }

  /** One round over all files. Rejects only with the signal's reason. */
  async pass(signal: AbortSignal): Promise<void> {
    const marks = lowest(this.#options.saved());
    for (const known of [this.#done, this.#refusedAt])
      for (const key of known.keys()) if (!marks.has(key)) known.delete(key);
    for (const [key, saved] of marks) {
      if (this.#isOff) return;
      await this.#giveBack(key, saved, signal);
    }
  }

  async #giveBack(key: string, saved: Acknowledged, signal: AbortSignal): Promise<void> {
    const { generation, mark } = saved;
    const range = givenBack(mark.offset, this.#done.get(key) ?? 0, this.#options.keepBytes);
    if (range === undefined || range.end < (this.#refusedAt.get(key) ?? 0)) return;
    const fd = this.#open(generation.path);
    if (fd === undefined) return;
    try {
      if (!isStill(fd, saved)) return;
      const isRecorded = await this.#record(generation, range);
      const before = blockBytes(fd);
      const refusal = await this.#options.punch(fd, range, signal);
      if (refusal !== undefined) {
        this.#refusedAt.set(key, range.end + AGAIN_BYTES);
        return this.#refused(generation.path, refusal);
      }
      if (!isRecorded) await this.#record(generation, range);
      this.#done.set(key, range.end);
      this.bytes += Math.max(0, before - blockBytes(fd));
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#say(generation.path, messageOf(error));
    } finally {
      closeLog(fd);
    }
  }

  /**
   * Returns whether the range is in the record. On a full volume it is not, until reclaiming has made room. Rejects with
   * any other error of the system.
   */
  async #record(generation: Acknowledged['generation'], range: Range): Promise<boolean> {
    try {
      await this.#options.holes.add(generation, range);
      return true;
    } catch (error) {
      if (FULL.has(codeOf(error) ?? '')) return false;
      throw error;
    }
  }

  #open(path: string): number | undefined {
    try {
      return this.#options.open(path);
    } catch (error) {
      // The file was renamed or removed. The process that did so also reclaims its disk.
      if (codeOf(error) !== 'ENOENT') this.#say(path, messageOf(error));
      return undefined;
    }
  }

  #refused(path: string, { isHere, reason }: { readonly isHere: boolean; readonly reason: string }): void {
    if (isHere) return this.#say(path, reason);
    this.#isOff = true;
    const fix =
      'it requires a volume on ext4, xfs, btrfs or tmpfs, and util-linux in the image; or set --reclaim ' +
      'off and a sufficient sizeLimit';
    this.#options.log.warn(`acknowledged bytes can't be reclaimed: ${reason}; ${fix}`);
  }

  #say(path: string, reason: string): void {
    const text = `acknowledged bytes of ${path} can't be reclaimed: ${reason}`;
    const fix =
      'mount the volume read-write, and run with a uid or fsGroup that may write its files; or give --reclaim off';
    this.#warnings.warn(text, `${text}; ${fix}`);
  }
}

/** The lowest mark of each generation that all destinations know. */
function lowest(destinations: readonly (readonly Acknowledged[])[]): Map<string, Acknowledged> {
  const all = destinations.map((saved) => {
    const marks = new Map<string, Acknowledged>();
    for (const one of saved) keepLower(marks, keyOf(one), one);
    return marks;
  });
  const [first = new Map<string, Acknowledged>(), ...others] = all;
  for (const key of first.keys()) {
    for (const other of others) {
      const theirs = other.get(key);
      if (theirs === undefined) first.delete(key);
      else if (first.has(key)) keepLower(first, key, theirs);
    }
  }
  return first;
}

/** Two generations of one file that start alike count as one. */
function keyOf({ generation: { path, ino, head } }: Acknowledged): string {
  return `${ino} ${path} ${head.toString('base64')}`;
}

function keepLower(marks: Map<string, Acknowledged>, key: string, one: Acknowledged): void {
  const known = marks.get(key);
  if (known === undefined || one.mark.offset < known.mark.offset) marks.set(key, one);
}

/** Whether the file at the path still contains the generation of the mark. */
function isStill(fd: number, { generation: { ino, head }, trail }: Acknowledged): boolean {
  if (fstatSync(fd).ino !== ino) return false;
  const bytes = Buffer.alloc(head.length);
  if (readSync(fd, bytes, 0, head.length, 0) < head.length || !bytes.equals(head)) return false;
  const file = { stat: () => fstatSync(fd), before: (offset: number) => bytesBefore(fd, offset) };
  const last = trail?.points.at(-1);
  return last !== undefined && isProved(file, last.proof);
}

function blockBytes(fd: number): number {
  return fstatSync(fd).blocks * 512;
}

/** Smaller ranges are not worth starting a process. */
const STEP_BYTES = 1024 * 1024;

/** The bytes before the mark prove it to our reader and must be kept. */
export const MIN_KEEP_BYTES = BLOCK_BYTES;

/**
 * The range of a file that can be reclaimed now. Its start holds the fingerprint and is kept. So a process that
 * truncates and rewrites the file between our check and the system call loses nothing unless it writes more than the
 * kept start at once.
 * @param acknowledged the offset up to which every destination has acknowledged the file
 * @param before end of the range already reclaimed
 * @param keep acknowledged bytes to keep for readers of the file
 */
export function givenBack(acknowledged: number, before: number, keep: number): Range | undefined {
  const start = Math.max(NEVER_GIVEN_BACK_BYTES, before);
  const last = acknowledged - Math.max(keep, MIN_KEEP_BYTES);
  const end = last - (last % BLOCK_BYTES);
  return end - start >= STEP_BYTES ? { start, end } : undefined;
}
