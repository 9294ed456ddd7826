/**
 * Prints docs/evidence/<capability>.md: `node test/evidence/run.ts [CAPABILITY]... [--point TEXT]`, all of them without a
 * word; with --point only the rows whose point has that text, and the others as they were.
 *
 *   points (data) -> each command run as a user would, once -> expected against got -> one row each, with its commit
 *
 * A row that does not hold is printed as such and makes the run fail: a shortfall is shown, not left out.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { ignoreAbsent } from '../../src/platform/fs/absent.ts';
import { must, run, type Finished } from '../../tools/process.ts';
import { bootstrap } from './bootstrap.ts';
import { helmCharts } from './charts.ts';
import { dbSync } from './db-sync.ts';
import { images } from './images.ts';
import { kollaContract } from './kolla-contract.ts';
import { logShip } from './log-ship.ts';
import { pageOf, type Row } from './page.ts';
import { podLife } from './pod-life.ts';
import type { Capability, Point } from './point.ts';
import { probe } from './probe.ts';
import { sidecar } from './sidecar.ts';
import { waits } from './waits.ts';

const CAPABILITIES: readonly Capability[] = [
  podLife,
  kollaContract,
  waits,
  dbSync,
  bootstrap,
  probe,
  logShip,
  sidecar,
  images,
  helmCharts,
];

const { positionals: asked, values } = parseArgs({ allowPositionals: true, options: { point: { type: 'string' } } });
const only = values.point;
const unknown = asked.find((name) => CAPABILITIES.every((capability) => capability.name !== name));
if (unknown !== undefined)
  throw new Error(`no capability '${unknown}'; there is ${CAPABILITIES.map(({ name }) => name).join(', ')}`);
const commit = await commitNow();
/** By command: several points may stand in the output of one, and a node is not set up for each of them. */
const runs = new Map<string, Finished & { readonly seconds: number }>();
await mkdir('docs/evidence', { recursive: true });
for (const capability of CAPABILITIES.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  const file = `docs/evidence/${capability.name}.md`;
  const kept = only === undefined ? '' : ((await readFile(file, 'utf8').catch(ignoreAbsent)) ?? '');
  const rows: Row[] = [];
  for (const point of capability.points)
    if (only === undefined || point.point.includes(only)) rows.push(await tryPoint(point));
  await writeFile(file, pageOf(capability, rows, kept));
  if (rows.some((row) => !row.holds)) process.exitCode = 1;
}

async function runOnce(command: string): Promise<Finished & { readonly seconds: number }> {
  const former = runs.get(command);
  if (former !== undefined) return former;
  const began = performance.now();
  const finished = await run('bash', ['-c', command]);
  const timed = { ...finished, seconds: (performance.now() - began) / 1000 };
  runs.set(command, timed);
  return timed;
}

async function tryPoint(point: Point): Promise<Row> {
  const { code, stdout, stderr, seconds } = await runOnce(point.command);
  const output = `${stdout}\n${stderr}`;
  // The line that it stands in, or the lines where it goes over several.
  const lines = point.match.exec(output)?.[0].trim().replaceAll('\n', '; ');
  const line = output.split('\n').find((text) => point.match.test(text)) ?? lines;
  const table = point.table?.exec(output)?.[0].replaceAll(/ +$/gm, '');
  const isWhole = line !== undefined && (point.table === undefined || table !== undefined);
  const holds = code === (point.exit ?? 0) && isWhole;
  const got = line ?? `exit ${code}: ${output.trim().split('\n').at(-1) ?? ''}`;
  console.log(
    `${holds ? '✔' : '✖'} ${point.point} (${seconds.toFixed(1)} s)${holds ? '' : `\n${output.slice(-3000)}`}`,
  );
  return { point, holds, got: `exit ${code}: ${got.trim()}`, table, seconds, commit };
}

async function commitNow(): Promise<string> {
  const head = (await must('git', ['rev-parse', '--short=12', 'HEAD'])).trim();
  const changed = await must('git', ['status', '--porcelain', '--', ':!docs/evidence']);
  return changed.trim() === '' ? head : `${head} with changes`;
}
