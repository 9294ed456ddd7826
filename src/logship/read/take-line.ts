import type { Content } from './content.ts';

/**
 * Receives one line as bytes of a shared buffer, which the next read overwrites.
 * @param chunk the same object for all lines of a read
 * @param offset of the line in its generation
 * @param next offset of the next line
 * @param skipping whether the rest of this overlong line follows at `next`
 * @param start of the line in the chunk, if it is not the whole chunk
 */
export interface TakeLine {
  (
    content: Content,
    chunk: Buffer,
    offset: number,
    next: number,
    skipping: boolean,
    start?: number,
    end?: number,
  ): void;
  /** Receives many lines, as far as they need no attention of their own, and until there is no more room. */
  readonly many?: TakeMany | undefined;
  /**
   * Whether another line may follow; by default it may. Lines of one byte become requests that are hundreds of times as
   * large, so the reader asks between lines and not only between chunks.
   */
  readonly hasRoom?: (() => boolean) | undefined;
}

/**
 * Receives complete lines, without NULs.
 * @param position of the chunk in its generation
 * @param start of the first line in the chunk
 * @param end index after the last line
 * @returns the index of the first line that was not taken, and the number of lines before it
 */
export type TakeMany = (
  content: Content,
  chunk: Buffer,
  position: number,
  start: number,
  end: number,
) => { readonly at: number; readonly lines: number };
