/** Runs rounds of test/engine/log-tables/rounds.ts: a digest of each, or all of one. */
import { sha256 } from '#digest';
import { round } from '../log-tables/rounds.ts';

export function digests(first: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => sha256(round(first + i).map((text) => `${text}\n`)));
}

export function main([first, count]: string[]): Promise<number> {
  process.stdout.write(
    JSON.stringify(count === undefined ? round(Number(first)) : digests(Number(first), Number(count))),
  );
  return Promise.resolve(0);
}
