/**
 * Log lines in bulk and one by one: `make soak`. Defaults change by `SEED=n`, `LINES=n`.
 *
 *   a million generated and hostile lines for each schema, in reads of one byte up to a whole log -> both ways -> the
 *     same documents, ids and acknowledged offsets, or it exits with 1, the seed and the first difference
 */
import { assertSame } from '../../test/logship/event/compared.ts';
import { hostileLog } from '../../test/logship/event/hostile-log.ts';
import { logLines } from '../../test/support/log-lines.ts';

const SEED = Number(process.env['SEED'] || Math.floor(Date.now() / 1000));
const LINES = Number(process.env['LINES'] || 1_000_000);
/** Bytes between two reads. */
const PIECES = [1, 2, 7, 17, 64, 151, 300, 1000, 4096, 65_536, 262_144, Infinity];
const MOST_LINES = 20_000;
/** With small pieces the log is shorter: each piece takes some system calls. */
const LINES_PER_BYTE = 500;
const ZONES = ['UTC', 'Europe/Berlin'] as const;

console.log(`log-bytes: seed ${SEED}, ${LINES} lines for each schema`);
for (const schema of ['kolla', 'raw', 'ecs'] as const) {
  let [lines, documents, inBulk] = [0, 0, 0];
  for (let nth = 0; lines < LINES; nth++) {
    const seed = SEED + nth;
    const piece = PIECES[nth % PIECES.length]!;
    const zone = ZONES[nth % ZONES.length]!;
    const count = Math.min(MOST_LINES, LINES_PER_BYTE * piece);
    // Each size of read meets both kinds of log.
    const isHostile = Math.floor(nth / PIECES.length) % 2 === 0;
    const log = isHostile ? hostileLog(count, seed) : generated(count, seed);
    try {
      const same = await assertSame(log, { format: 'oslo', schema, zone }, Math.min(piece, log.length));
      documents += same.documents.size;
      inBulk += same.inBulk;
    } catch (cause) {
      throw new Error(`${schema}, seed ${seed}, ${piece} bytes a read, hostile ${isHostile}: not the same`, { cause });
    }
    lines += newlines(log);
  }
  console.log(`${schema}: ${lines} lines, ${documents} documents the same, ${inBulk} of them in bulk`);
}

function generated(events: number, seed: number): Buffer {
  return Buffer.from([...logLines({ events, seed, tracebackEvery: 20 })].join(''));
}

function newlines(log: Buffer): number {
  let count = 0;
  for (let at = log.indexOf(10); at !== -1; at = log.indexOf(10, at + 1)) count++;
  return count;
}
