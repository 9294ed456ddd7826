/**
 * Scans lines with damaged tables and layouts: how many the host refuses, and how many it uses. None may harm it. What
 * they yield has no meaning.
 */
import { HostTable } from '../../../src/engine/log-tables.ts';
import { compile } from '../../../src/logship/tables/compile.ts';
import { layoutBytes } from '../../../src/logship/tables/layout.ts';
import { drawn, scanned, type Pick } from '../log-tables/rounds.ts';

export function main([first, count]: string[]): Promise<number> {
  const found = { refused: 0, used: 0 };
  for (let seed = Number(first); seed < Number(first) + Number(count); seed++) found[use(seed)]++;
  process.stdout.write(JSON.stringify(found));
  return Promise.resolve(0);
}

function use(seed: number): 'refused' | 'used' {
  const { table, layout, zone, text, pick } = drawn(seed);
  const of = pick(3);
  const bytes = compile(table);
  const documents = layoutBytes(layout, table);
  if (of !== 1) damage(bytes, pick);
  if (of !== 0) damage(documents, pick);
  let lines: HostTable;
  try {
    const times = new Uint8Array(zone.buffer, zone.byteOffset, zone.byteLength);
    lines = new HostTable(sys.logOpen(sys.logTable(bytes), sys.logZone(times), documents));
  } catch (error) {
    if (error instanceof TypeError) return 'refused';
    throw error;
  }
  using _ = lines;
  scanned(lines, text, pick, []);
  return 'used';
}

/** Few changes, so that many tables stay valid. */
function damage(bytes: Buffer, pick: Pick): void {
  for (let times = pick(3); times >= 0; times--) {
    const at = pick(3) === 0 ? pick(Math.min(bytes.length, 32)) : pick(bytes.length);
    bytes[at] = pick(2) === 0 ? pick(256) : bytes[at]! + pick(5) - 2;
  }
}
