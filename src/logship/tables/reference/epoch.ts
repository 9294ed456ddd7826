/** Unix times of these years, in seconds; the same digits in another unit are of another century. */
const [EARLIEST_S, LATEST_S] = [1e9, 1e10];
const DIGITS = /^\d{10,19}(?:\.\d+)?/;
/** A longer fraction changes no time. */
const LONGEST = 64;

/**
 * The seconds, milliseconds, microseconds or nanoseconds since the epoch at that index.
 * @returns the index after them and the time in milliseconds since the epoch; undefined if there are none
 */
export function epochAt(
  bytes: Buffer,
  at: number,
  end: number,
): { readonly at: number; readonly ms: number } | undefined {
  const text = DIGITS.exec(bytes.toString('latin1', at, end))?.[0];
  if (text === undefined) return undefined;
  let seconds = Number(text.slice(0, LONGEST));
  while (seconds >= LATEST_S) seconds /= 1000;
  return seconds >= EARLIEST_S ? { at: at + text.length, ms: Math.floor(seconds * 1000) } : undefined;
}
