import { unlessAborted } from '../../core/abort.ts';
import { pause } from '../../core/backoff.ts';
import type { Contents } from './contents.ts';
import type { CheckpointWriter } from '../state/checkpoint.ts';

/** Maximum interval between checkpoints while lines are acknowledged. */
const CHECKPOINT_MS = 1000;
/** A checkpoint is written earlier after this many acknowledged bytes. */
const CHECKPOINT_BYTES = 6 * 1024 * 1024;
/** While more acknowledged bytes than this are not in the checkpoint, because its volume is slow, nothing is sent. */
const UNSAVED_BYTES = 8 * 1024 * 1024;
/** Minimum interval, because writing a checkpoint takes up to two milliseconds of CPU time. */
const LEAST_MS = 200;
/** Minimum interval per file in the checkpoint: writing its entry takes a hundredth of this. */
const PER_FILE_MS = 1;

interface Kept {
  readonly checkpoint: CheckpointWriter;
  readonly contents: Contents;
  /** Number of cuts that the framer has made. */
  readonly cuts: () => number;
  /** The earliest generation of the target that may have unacknowledged documents. */
  readonly indexGeneration: () => number | undefined;
  readonly now: () => number;
  /** Called with an error that is a bug. */
  readonly failed: (error: unknown) => void;
}

/**
 * Decides when a checkpoint is written: within a second or a few mebibytes of acknowledgements, whichever is earlier, so
 * that a kill sends no more than these again; and before any document that a second reading would name or cut
 * differently.
 */
export class Keeper {
  readonly #kept: Kept;
  #isDirty = false;
  #triedMs: number;
  #savedMs: number;
  #begunSaved = 0;
  #cutsSaved = 0;
  #canSave = true;
  /** Bytes that were acknowledged since the start, and those that the checkpoint covers. */
  #acknowledgedBytes = 0;
  #savedBytes = 0;
  #files = 0;
  /** The next checkpoint, before its state is collected. */
  #next: Promise<void> | undefined;
  /** The checkpoint that is being written without anyone waiting for it. */
  #running: Promise<void> | undefined;

  constructor(kept: Kept) {
    this.#kept = kept;
    this.#triedMs = this.#savedMs = kept.now();
  }

  /** Whether the last checkpoint could be written. */
  get canSave(): boolean {
    return this.#canSave;
  }

  /** When the checkpoint last covered everything acknowledged, in milliseconds since the epoch. */
  get savedMs(): number {
    return this.#isDirty ? this.#savedMs : this.#kept.now();
  }

  /** Called when a mark has moved. */
  touch(): void {
    this.#isDirty = true;
  }

  /** Called when documents of this size are settled. */
  acknowledged(bytes: number): void {
    this.#acknowledgedBytes += bytes;
    this.saveWhenDue();
  }

  /** Starts to write the checkpoint if it is due. Reading and sending go on meanwhile. */
  saveWhenDue(): void {
    if (!this.#isDirty || this.#running !== undefined) return;
    const isMuch = this.#unsavedBytes >= CHECKPOINT_BYTES && this.#mayHurry;
    if (isMuch || this.#sinceMs >= CHECKPOINT_MS) void this.#begin();
  }

  get #unsavedBytes(): number {
    return this.#acknowledgedBytes - this.#savedBytes;
  }

  /** Time since the last attempt. A clock that is set back must not delay the next one. */
  get #sinceMs(): number {
    return Math.abs(this.#kept.now() - this.#triedMs);
  }

  /** Whether the checkpoint may be written before a second has passed. */
  get #mayHurry(): boolean {
    return this.#canSave && this.#sinceMs >= Math.max(LEAST_MS, this.#files * PER_FILE_MS);
  }

  #begin(): Promise<void> {
    this.#running ??= this.save()
      .catch(this.#kept.failed)
      .finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** Resolves when the current state is on disk, or cannot be written. */
  save(): Promise<void> {
    // A checkpoint that is still to be collected covers this call too: one request must not wait longer than another.
    return (this.#next ??= this.#write());
  }

  async #write(): Promise<void> {
    const { checkpoint, contents, cuts, indexGeneration, now } = this.#kept;
    let [begun, cutsNow, bytes] = [0, 0, 0];
    this.#canSave = await checkpoint.save(() => {
      this.#next = undefined;
      [begun, cutsNow, bytes] = [this.#begun, cuts(), this.#acknowledgedBytes];
      this.#triedMs = now();
      this.#isDirty = false;
      const files = contents.collect();
      this.#files = files.length;
      return files;
    }, indexGeneration);
    if (this.#canSave) {
      this.#begunSaved = begun;
      this.#cutsSaved = cutsNow;
      this.#savedBytes = bytes;
      this.#savedMs = now();
    } else this.#isDirty = true;
  }

  /**
   * An event ended by a timeout (a cut) may be longer when it is read again after a restart; acknowledging it would then
   * cover lines that were sent as a separate event. So cuts must be in a saved checkpoint before the next document is
   * sent; until `signal` is aborted, sending waits.
   */
  async beforeSending(signal: AbortSignal): Promise<void> {
    await this.#catchUp(signal);
    // Later cuts concern later documents.
    const cuts = this.#kept.cuts();
    if (this.#begunSaved < this.#begun) await this.save();
    while (this.#cutsSaved < cuts && !signal.aborted) {
      await pause(CHECKPOINT_MS, signal).catch(ignoreAbort);
      await this.save();
    }
  }

  /** Waits for a slow volume. One that accepts no checkpoint at all does not stop the shipping. */
  async #catchUp(signal: AbortSignal): Promise<void> {
    while (this.#unsavedBytes >= UNSAVED_BYTES && this.#canSave && !signal.aborted) {
      if (this.#running === undefined && !this.#mayHurry) return;
      await unlessAborted(this.#begin(), signal).catch(ignoreAbort);
    }
  }

  get #begun(): number {
    return this.#kept.contents.begun + this.#kept.cuts();
  }
}

function ignoreAbort(): void {
  // The loop checks its signal.
}
