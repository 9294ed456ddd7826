/** SHA-256 of pieces, run by either engine. */
import { sha256 } from '#digest';

/** Lengths cross the ends of two 64-byte blocks, where padding needs another block. */
export function results(): readonly string[] {
  const bytes = Array.from({ length: 200 }, (_, length) => new Uint8Array(length).fill(length));
  const pieces = ['Ü', bytes[63]!, '', bytes[65]!, '\u{1f600}', '\ud800', bytes[180]!.subarray(7, 99)];
  return [[], [new Uint8Array(1_000_003).map((_, i) => i)], pieces, ...bytes.map((one) => [one])].map(sha256);
}

export function main(): Promise<number> {
  process.stdout.write(JSON.stringify(results()));
  return Promise.resolve(0);
}
