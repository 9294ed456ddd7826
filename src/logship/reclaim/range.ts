import { BLOCK_BYTES, NEVER_GIVEN_BACK_BYTES } from '../read/hole.ts';

/** Bytes of a file, the end not among them. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** For less it is not worth a process. */
const STEP_BYTES = 1024 * 1024;

/** The byte before the mark tells our reader that the file is still the same: it must stay. */
export const MIN_KEEP_BYTES = BLOCK_BYTES;

/**
 * What can be given back of a file now. Its beginning can't, where the fingerprint lies. So somebody who truncates the file and
 * writes it anew, in the instant between our last look at it and the system's work, loses nothing unless he writes that much.
 * @param acknowledged by every destination, in bytes from the beginning
 * @param before up to where it was given back already
 * @param keep how many acknowledged bytes stay for whoever looks at the file
 */
export function givenBack(acknowledged: number, before: number, keep: number): Range | undefined {
  const start = Math.max(NEVER_GIVEN_BACK_BYTES, before);
  const last = acknowledged - Math.max(keep, MIN_KEEP_BYTES);
  const end = last - (last % BLOCK_BYTES);
  return end - start >= STEP_BYTES ? { start, end } : undefined;
}
