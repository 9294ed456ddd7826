import type { Identity } from '../position/generation.ts';
import type { Cut, Mark } from '../position/progress.ts';
import type { Known } from '../position/trail.ts';
import type { UndatedFrom } from '../position/undated.ts';

/** A generation, and the position up to which it is acknowledged. */
export interface Saved {
  readonly generation: Identity;
  readonly mark: Mark;
  /** The cuts after the mark. */
  readonly cuts: readonly Cut[];
  /** Undefined in a checkpoint of an earlier version. */
  readonly undated?: readonly UndatedFrom[];
  /** The last modification that was seen, in milliseconds by the file system's clock; -1 if unknown. */
  readonly modifiedMs: number;
  /** The last size that was seen; undefined if it is unknown. */
  readonly size?: number;
  /** What proves the mark. Builds before it was recorded trusted the size. */
  readonly trail?: Known;
  /**
   * Set if the generation is fully acknowledged and no longer at its path. The entry is then only needed to name a
   * later generation that starts alike.
   */
  readonly isOver?: true;
}
