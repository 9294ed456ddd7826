/**
 * Prints docs/evidence/<capability>.md: `node test/evidence/run.ts [CAPABILITY]... [--point TEXT]`, all of them without a
 * word; with --point only the rows whose point has that text, and the others as they were.
 *
 *   points (data) -> each command run as a user would -> expected against got -> one row each, with its commit
 *
 * A row that does not hold is printed as such and makes the run fail: a shortfall is shown, not left out.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { must, run } from '../support/process.ts';
import { bootstrap } from './bootstrap.ts';
import { dbSync } from './db-sync.ts';
import { kollaContract } from './kolla-contract.ts';
import { pageOf, rowsIn, type Row } from './page.ts';
import { podLife } from './pod-life.ts';
import type { Capability, Point } from './point.ts';
import { probe } from './probe.ts';
import { sidecar } from './sidecar.ts';
import { waits } from './waits.ts';

const CAPABILITIES: readonly Capability[] = [podLife, kollaContract, waits, dbSync, bootstrap, probe, sidecar];

const { positionals: asked, values } = parseArgs({ allowPositionals: true, options: { point: { type: 'string' } } });
const only = values.point;
const commit = await commitNow();
await mkdir('docs/evidence', { recursive: true });
for (const capability of CAPABILITIES.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  const file = `docs/evidence/${capability.name}.md`;
  const kept = only === undefined ? '' : await readFile(file, 'utf8');
  const rows: Row[] = [];
  for (const point of capability.points)
    if (only === undefined || point.point.includes(only)) rows.push(await tryPoint(point));
  await writeFile(file, pageOf(capability, rows, rowsIn(kept)));
  if (rows.some((row) => !row.holds)) process.exitCode = 1;
}

async function tryPoint(point: Point): Promise<Row> {
  const began = performance.now();
  const { code, stdout, stderr } = await run('bash', ['-c', point.command]);
  const output = `${stdout}\n${stderr}`;
  const line = output.split('\n').find((text) => point.match.test(text));
  const holds = code === (point.exit ?? 0) && line !== undefined;
  const got = line ?? `exit ${code}: ${output.trim().split('\n').at(-1) ?? ''}`;
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `${holds ? '✔' : '✖'} ${point.point} (${seconds.toFixed(1)} s)${holds ? '' : `\n${output.slice(-3000)}`}`,
  );
  return { point, holds, got: `exit ${code}: ${got.trim()}`, seconds, commit };
}

async function commitNow(): Promise<string> {
  const head = (await must('git', ['rev-parse', '--short=12', 'HEAD'])).trim();
  const changed = await must('git', ['status', '--porcelain', '--', ':!docs/evidence']);
  return changed.trim() === '' ? head : `${head} with changes`;
}
