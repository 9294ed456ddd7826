import { pause } from '../../core/backoff.ts';
import type { Contents } from '../read/contents.ts';
import type { CheckpointWriter } from './checkpoint.ts';

/** Interval between checkpoints, unless a checkpoint is needed before a document may be sent. */
const CHECKPOINT_MS = 1000;

interface Kept {
  readonly checkpoint: CheckpointWriter;
  readonly contents: Contents;
  /** Number of cuts that the framer has made. */
  readonly cuts: () => number;
  readonly now: () => number;
}

/**
 * Decides when a checkpoint is written: at most once a second for acknowledgements, and before any document that a
 * second reading would name or cut differently.
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

  async saveWhenDue(): Promise<void> {
    // A clock that is set back must not delay the checkpoint.
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
   * An event ended by a timeout (a cut) may be longer when it is read again after a restart; acknowledging it would then
   * cover lines that were sent as a separate event. So cuts must be in a saved checkpoint before the next document is
   * sent; until `signal` is aborted, sending waits.
   */
  async beforeSending(signal: AbortSignal): Promise<void> {
    // Later cuts concern later documents.
    const cuts = this.#kept.cuts();
    if (this.#begunSaved < this.#begun) await this.save();
    while (this.#cutsSaved < cuts && !signal.aborted) {
      await pause(CHECKPOINT_MS, signal).catch(ignoreAbort);
      await this.save();
    }
  }

  get #begun(): number {
    return this.#kept.contents.begun + this.#kept.cuts();
  }
}

function ignoreAbort(): void {
  // The loop checks its signal.
}
