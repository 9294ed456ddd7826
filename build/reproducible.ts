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
    const { binary, core } = await buildBinary(join(directory, place), () => {});
    const sumOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
    sums.push(`kolla-pod ${sumOf(binary)}, kolla-core ${sumOf(core.binary)}`);
  }
  const [first, second] = sums;
  if (first !== second) throw new Error(`two builds of the same sources differ: ${first} and ${second}`);
  process.stdout.write(`built twice, the same files: sha256 ${first}\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
