const NEWLINE = 10;

/**
 * Finds the whole lines in a chunk of bytes.
 * @param take gets where each line begins and ends, without its newline
 * @returns how many bytes the lines take, newlines included; what is behind them is the beginning of a line
 */
export function frame(chunk: Buffer, take: (start: number, end: number) => void): number {
  let start = 0;
  for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
    take(start, end);
    start = end + 1;
  }
  return start;
}

/** Where to cut so that no UTF-8 character is cut: at `end` or up to three bytes before. */
export function characterBoundary(bytes: Buffer, end: number): number {
  for (let at = end; at > end - 4 && at > 0; at--) {
    const next = bytes[at];
    if (next === undefined || (next & 0b1100_0000) !== 0b1000_0000) return at;
  }
  return end;
}
