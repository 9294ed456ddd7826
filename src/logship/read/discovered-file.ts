import type { HeldFile } from './held-file.ts';

/** A file that was discovered. */
export interface DiscoveredFile {
  /** The path while the file was being written, without a rotation suffix. */
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  /** The file's first bytes, HEAD_BYTES at most. */
  readonly beginning: Buffer;
  /** Set if nothing more will be read, so that an unterminated first line is complete. */
  readonly final: boolean;
  /** Set if the whole file was rotated, so that it may be a known file. */
  readonly isRotated: boolean;
  /** The open file; without it a rotated one is told by its start alone. */
  readonly file?: HeldFile;
  /** Where reading starts if the file is new. */
  readonly from: { readonly offset: number; readonly skipping: boolean };
}
