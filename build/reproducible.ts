/** `node build/reproducible.ts`: builds twice, in two places, and compares the results. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildBinary } from './make.ts';

const directory = mkdtempSync(join(tmpdir(), 'kp-reproducible-'));
try {
  const sums: string[] = [];
  for (const place of ['one', 'another/place']) {
    const { binary } = await buildBinary(join(directory, place), () => {});
    sums.push(createHash('sha256').update(readFileSync(binary)).digest('hex'));
  }
  const [first, second] = sums;
  if (first !== second) throw new Error(`two builds of the same sources differ: ${first} and ${second}`);
  process.stdout.write(`built twice, the same file: sha256 ${first}\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
