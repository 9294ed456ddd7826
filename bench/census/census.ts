/** `node bench/census/census.ts [--print]`: runs the census and prints its table; --print also writes it to docs/evidence/. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { canHoldCensus, holdCensus } from './index.ts';
import { censusPage, isRight } from './table.ts';

const PAGE = fileURLToPath(new URL('../../docs/evidence/probe-census.md', import.meta.url));

const missing = await canHoldCensus();
if (missing === undefined) {
  const rows = await holdCensus();
  const page = censusPage(rows, `Node ${process.version}`);
  if (process.argv.includes('--print')) writeFileSync(PAGE, page);
  process.stdout.write(page);
  const wrong = rows.filter((row) => row.skipped === undefined && !isRight(row));
  for (const { container } of wrong) console.error(`unexpected result: ${container}`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
} else {
  console.error(`not run on this machine: ${missing}`);
  process.exitCode = 69;
}
