/**
 * Runs everything that this machine can prove: `node test/run.ts [check|SUITE]...`, all of them without a word.
 *
 *   checks (types, lint, format) -> suites, each with its budget -> what was skipped and why -> node's own summary
 *
 * A test that this machine can't run is skipped by itself, with the reason that its capability's trial gave; those are
 * named at the end, so that a short green run is never taken for a whole one.
 */
import { globSync } from 'node:fs';
import { run as runTests } from 'node:test';
import { basename, join } from 'node:path';
import { spec } from 'node:test/reporters';
import { Transform } from 'node:stream';
import { cacheRoot } from '../tools/cache.ts';
import { TEST_LIMIT_MS } from './support/limits.ts';
import { run } from '../tools/process.ts';
import { SUITES, type Suite } from './suites.ts';

const TOOLS: readonly (readonly [string, readonly string[]])[] = [
  ['tsc', ['--project', '.']],
  ['tsc', ['--project', 'src/sidecar/page']],
  ['oxlint', ['--type-aware']],
  ['oxfmt', ['--check', '.']],
];

interface Tally {
  tests: number;
  passed: number;
  failed: number;
  cancelled: number;
  skipped: number;
  todo: number;
}

const NOTHING: Tally = { tests: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 };
const total = { ...NOTHING };
/** By suite and reason, the names of what was skipped for it. */
const skips = new Map<string, string[]>();
const times: string[] = [];
/** How many files of a suite are named with what they took. */
const SLOWEST = 4;
const began = performance.now();

const asked = process.argv.slice(2);
const known = ['check', ...SUITES.map((suite) => suite.name)];
const unknown = asked.find((name) => !known.includes(name));
if (unknown === undefined) await main();
else {
  console.error(`no suite '${unknown}'; there is ${known.join(', ')}`);
  process.exitCode = 64;
}

async function main(): Promise<void> {
  const chosen = (name: string) => asked.length === 0 || asked.includes(name);
  if (chosen('check')) await check();
  for (const suite of SUITES.filter(({ name }) => chosen(name))) await runSuite(suite);
  console.log(`\n${times.join('\n')}`);
  if (skips.size > 0) console.log(`\nnot run on this machine:\n${skipLines().join('\n')}`);
  summary();
  process.exitCode = total.failed + total.cancelled > 0 ? 1 : 0;
}

/** Types, lint and format; each counts as one test. */
async function check(): Promise<void> {
  const start = performance.now();
  for (const [tool, args] of TOOLS) {
    const { code, stdout, stderr } = await run(`node_modules/.bin/${tool}`, args);
    total.tests++;
    if (code === 0) total.passed++;
    else total.failed++;
    console.log(code === 0 ? `✔ ${tool}` : `✖ ${tool}\n${stdout}${stderr}`);
  }
  tookTime('check', start, 30);
}

async function runSuite(suite: Suite): Promise<void> {
  const start = performance.now();
  // In the patterns' order: what takes longest must not begin last.
  const files = [...new Set(suite.files.flatMap((pattern) => globSync(pattern).toSorted()))];
  console.log(`\n── ${suite.name}: ${suite.what} (${files.length} files, budget ${suite.budgetS} s)`);
  if (files.length === 0) throw new Error(`suite ${suite.name} has no files`);
  // Else each file's process takes the types out of all that it imports anew.
  const env = {
    NODE_COMPILE_CACHE: join(cacheRoot(), 'compiled'),
    ...process.env,
    ...(suite.fileLimitS !== undefined && { KOLLA_POD_TEST_FILE_LIMIT_MS: String(suite.fileLimitS * 1000) }),
  };
  const testLimitMs = suite.fileLimitS === undefined ? TEST_LIMIT_MS : suite.fileLimitS * 1000;
  const limits = ['--import', './test/support/file-limit.ts', `--test-timeout=${testLimitMs}`];
  // A grandchild that keeps a dead file's output open would hold the runner for ever.
  const signal = AbortSignal.timeout(suite.limitS * 1000);
  const events = runTests({ files, concurrency: suite.concurrency, env, execArgv: limits, signal });
  const took = new Map<string, number>();
  // Not a pipeline into stdout: of each suite its listeners would stay there.
  for await (const text of events.compose(counting(suite, took)).compose(new spec()))
    process.stdout.write(text as string);
  tookTime(suite.name, start, suite.budgetS);
  const slowest = [...took].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST);
  times.push(`  ${slowest.map(([file, ms]) => `${basename(file, '.test.ts')} ${Math.round(ms / 1000)} s`).join(', ')}`);
}

interface TestEvent {
  readonly type: string;
  readonly data: {
    file?: string;
    duration_ms?: number;
    name?: string;
    nesting?: number;
    skip?: string | boolean;
    counts?: Tally;
    details?: { type?: string };
  };
}

/**
 * Lets the reporter see the tests, but keeps each suite's closing counts for the one summary at the end.
 * @param took gets each file's time in ms
 */
function counting(suite: Suite, took: Map<string, number>): Transform {
  return new Transform({
    objectMode: true,
    transform(event: TestEvent, _encoding, done) {
      const { type, data } = event;
      if (type === 'test:summary' && data.file === undefined && data.counts) add(data.counts);
      if (type === 'test:summary' && data.file !== undefined) took.set(data.file, data.duration_ms ?? 0);
      if (type === 'test:pass' && typeof data.skip === 'string') {
        const reason = `${suite.name}: ${data.skip}`;
        skips.set(reason, [...(skips.get(reason) ?? []), data.name ?? '']);
        // Node counts no test of a describe() that is skipped.
        if (data.details?.type === 'suite') add({ ...NOTHING, tests: 1, skipped: 1 });
      }
      const isSummary =
        type === 'test:summary' || (type === 'test:diagnostic' && data.nesting === 0 && data.file === undefined);
      if (isSummary) done();
      else done(null, event);
    },
  });
}

/** One line a reason; of many names for one reason the first three and how many more. */
function skipLines(): string[] {
  return [...skips].map(([reason, names]) => {
    const more = names.length > 3 ? `; and ${names.length - 3} more` : '';
    return `  ${reason}\n    ${names.slice(0, 3).join('; ')}${more}`;
  });
}

function add(counts: Tally): void {
  for (const key of Object.keys(total) as (keyof Tally)[]) total[key] += counts[key];
}

function tookTime(name: string, start: number, budgetS: number): void {
  const seconds = (performance.now() - start) / 1000;
  const over = seconds > budgetS ? '  OVER BUDGET' : '';
  times.push(`${name.padEnd(12)} ${seconds.toFixed(1).padStart(6)} s of ${budgetS} s${over}`);
}

/** The lines that node's own runner ends with. */
function summary(): void {
  const { tests, passed, failed, cancelled, skipped, todo } = total;
  const rows = {
    tests,
    suites: 0,
    pass: passed,
    fail: failed,
    cancelled,
    skipped,
    todo,
    duration_ms: performance.now() - began,
  };
  console.log(
    '\n' +
      Object.entries(rows)
        .map(([name, value]) => `ℹ ${name} ${value}`)
        .join('\n'),
  );
}
