import { pause } from '../../core/backoff.ts';
import type { Contents } from '../read/contents.ts';
import type { CheckpointWriter } from './checkpoint.ts';

/** Between one checkpoint and the next, unless something may not be sent before it is there. */
const CHECKPOINT_MS = 1000;

interface Kept {
  readonly checkpoint: CheckpointWriter;
  readonly contents: Contents;
  /** How many cuts the framer has made. */
  readonly cuts: () => number;
  readonly now: () => number;
}

/**
 * When a checkpoint is written: at most once a second for what was acknowledged, and before any document is sent that a
 * second reading would name or cut otherwise.
 */
export class Keeper {
  readonly #kept: Kept;
  #isDirty = false;
  #triedMs: number;
  #savedMs: number;
  #begunSaved = 0;
  #cutsSaved = 0;
  #canSave = true;

  constructor(kept: Kept) {
    this.#kept = kept;
    this.#triedMs = this.#savedMs = kept.now();
  }

  /** Whether the last one could be written. */
  get canSave(): boolean {
    return this.#canSave;
  }

  /** When it last said all that was acknowledged, in milliseconds since the epoch. */
  get savedMs(): number {
    return this.#isDirty ? this.#savedMs : this.#kept.now();
  }

  /** A mark has moved. */
  touch(): void {
    this.#isDirty = true;
  }

  async saveWhenDue(): Promise<void> {
    // A clock that was set back must not put it off.
    const sinceMs = Math.abs(this.#kept.now() - this.#triedMs);
    if (this.#isDirty && sinceMs >= CHECKPOINT_MS) await this.save();
  }

  async save(): Promise<void> {
    const { checkpoint, contents, cuts, now } = this.#kept;
    const [begun, cutsNow] = [this.#begun, cuts()];
    this.#triedMs = now();
    this.#isDirty = false;
    this.#canSave = await checkpoint.save(() => contents.collect());
    if (this.#canSave) {
      this.#begunSaved = begun;
      this.#cutsSaved = cutsNow;
      this.#savedMs = now();
    } else this.#isDirty = true;
  }

  /**
   * What a second reading would find otherwise must be on disk before any document of it is in the index. A joined event
   * that is read again would answer for lines that were sent apart: for cuts, sending waits for the disk until the signal.
   */
  async beforeSending(signal: AbortSignal): Promise<void> {
    if (this.#begunSaved < this.#begun) await this.save();
    while (this.#cutsSaved < this.#kept.cuts() && !signal.aborted) {
      await pause(CHECKPOINT_MS, signal).catch(ignoreAbort);
      await this.save();
    }
  }

  get #begun(): number {
    return this.#kept.contents.begun + this.#kept.cuts();
  }
}

function ignoreAbort(): void {
  // The loop looks at its signal.
}
