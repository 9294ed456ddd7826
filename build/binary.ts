/**
 * `node build/binary.ts [--out DIR] [--only NAME]... [--quiet] [--evidence]`: builds the binary, runs it, and prints
 * its size and start-up cost. --evidence writes that to docs/evidence as well.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { terminalOf } from '../src/core/terminal.ts';
import { ROOT } from './bundle.ts';
import { checkBinary } from './check.ts';
import { buildBinary } from './make.ts';
import { reportOn, reportText, writeEvidence } from './report.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(ROOT, 'dist') },
    only: { type: 'string', multiple: true },
    quiet: { type: 'boolean', default: false },
    evidence: { type: 'boolean', default: false },
  },
});
const began = performance.now();
const built = await buildBinary(resolve(values.out), say, values.only);
say('running every name');
await checkBinary(built);
if (built.base.notStripped !== undefined) say(`node is not stripped: ${built.base.notStripped}`);
if (!values.quiet) {
  say('measuring');
  const report = await reportOn(built);
  process.stdout.write(reportText(report, terminalOf(process.stdout, process.env)));
  if (values.evidence) {
    mkdirSync(join(ROOT, 'docs/evidence'), { recursive: true });
    writeEvidence(report, join(ROOT, 'docs/evidence'));
  }
}
say(`${built.binary} in ${((performance.now() - began) / 1000).toFixed(1)} s`);

function say(text: string): void {
  process.stderr.write(`  ${text}\n`);
}
