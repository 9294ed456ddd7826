import type { TakeLine } from './line-reader.ts';

/** Where lines come from: our own reader, or one that it is held against. */
export interface LineSource extends Disposable {
  /** Looks for new, renamed and removed files. */
  look(): void;
  /** Reads one chunk of each file that has more. Returns whether there is more to read now. */
  read(take: TakeLine, options: ReadOptions): Promise<boolean>;
  /**
   * Resolves at once when files came or went, and else not before that time, and then when files have grown, or may have.
   * Rejects with the signal's reason.
   */
  changed(ms: number, signal: AbortSignal): Promise<void>;
  /** Bytes that are not acknowledged. */
  readonly left: number;
}

export interface ReadOptions {
  /** Nothing more will be read: unfinished lines count. */
  readonly final: boolean;
  /** Called before each chunk: waits for room and lets others run. Whether to go on. */
  readonly pace: () => Promise<boolean>;
}
