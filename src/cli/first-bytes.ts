const CUT = '...';

/**
 * The beginning of a text that must fit in so many bytes as UTF-8, with whole characters and `...` behind one that was cut:
 * who reads it must see that there is more.
 */
export function firstBytes(text: string, max: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  let end = max - CUT.length;
  // The bytes within a character begin with 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--;
  return bytes.subarray(0, end).toString() + CUT;
}
