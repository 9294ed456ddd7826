import { hasByte, type ByteSet } from '../byte-set.ts';
import type { LinePlace } from '../items.ts';
import { LineRole } from '../scanner.ts';

/** The role of each place in a file, as the caller sees it. */
export const ROLES: Readonly<Record<LinePlace, LineRole>> = {
  alone: LineRole.alone,
  begins: LineRole.begins,
  follows: LineRole.follows,
  resumes: LineRole.resumes,
  opens: LineRole.begins,
};

/** Whether an event goes on after a line with that first byte; undefined for an empty line. */
export function goesOn(set: ByteSet, first: number | undefined): boolean {
  return first !== undefined && hasByte(set, first);
}
