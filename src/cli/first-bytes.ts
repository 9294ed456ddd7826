const CUT = '...';

/**
 * Truncates a text to a maximum number of UTF-8 bytes, at a character boundary, with `...` to show that it was
 * truncated.
 */
export function firstBytes(text: string, max: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  let end = max - CUT.length;
  // UTF-8 continuation bytes start with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--;
  return bytes.subarray(0, end).toString() + CUT;
}

/** Keeps the end of a text instead, after `...`. */
export function lastBytes(text: string, max: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  let start = bytes.length - max + CUT.length;
  while (((bytes[start] ?? 0) & 0b1100_0000) === 0b1000_0000) start++;
  return CUT + bytes.subarray(start).toString();
}
