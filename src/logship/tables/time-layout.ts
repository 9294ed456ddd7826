/** The number of bytes of each letter of a time's layout that has always the same. */
const WIDTHS: Readonly<Record<string, number>> = { Y: 4, y: 2, m: 2, d: 2, H: 2, M: 2, b: 3 };
const VARIABLE = /[enhNsfFzZacU_]/;
/** The widest text that the host's interpreter keeps. */
const MAX_WIDTH = 63;

/**
 * The part of a time before its seconds, if it has always the same length and names a minute: the interpreter computes each minute once.
 * @returns its length in a line and in the layout; 0 and 0 if there is none
 */
export function cachedMinute(layout: string): { readonly width: number; readonly before: number } {
  const before = layout.slice(0, Math.max(0, layout.indexOf('S')));
  const hasMinute =
    /Y|y/.test(before) && /m|b/.test(before) && ['d', 'H', 'M'].every((letter) => before.includes(letter));
  const width = before.split('').reduce((sum, letter) => sum + (WIDTHS[letter] ?? 1), 0);
  return hasMinute && !VARIABLE.test(before) && width <= MAX_WIDTH
    ? { width, before: before.length }
    : { width: 0, before: 0 };
}
