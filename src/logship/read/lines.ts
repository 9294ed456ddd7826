/** Where to cut so that no UTF-8 character is cut: at `end` or up to three bytes before. */
export function characterBoundary(bytes: Buffer, end: number): number {
  for (let at = end; at > end - 4 && at > 0; at--) {
    const next = bytes[at];
    if (next === undefined || (next & 0b1100_0000) !== 0b1000_0000) return at;
  }
  return end;
}

/**
 * Behind the NUL bytes that begin here. No logger writes them: they are the hole that a writer leaves who does not
 * append, when his file was truncated and he goes on at his old place.
 */
export function skipNuls(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0) at++;
  return at;
}
