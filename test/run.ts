/**
 * Runs tests: `node test/run.ts [test | full | ci | SUITE...] [--changed] [--only PATTERN] [--evidence] [--minutes N]
 * [--results FILE]`, by default `test`.
 *
 *   arguments -> suites -> files (with --changed: those affected by changed files; with --only: those matching the pattern)
 *     -> prerequisites in the cache
 *     -> parallel lanes -> one line per file
 *     -> skipped tests with the reason, files not run and how to run them, times, failures, Node's own summary
 *
 * `ci` runs `full`, the files of `test` first in their lanes, for --minutes at most: unfinished files of `test` are
 * failures, those of `full` are listed. With --results a run leaves out the files whose results are in FILE, includes them in what it
 * prints, and adds its own. --evidence writes what the run shows for the support matrix.
 */
import { availableParallelism, constants } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { parseArgs } from 'node:util';
import { cacheRoot } from '../tools/cache.ts';
import { privateDirectory } from '../tools/directory.ts';
import { recordOutcomes } from './evidence/support.ts';
import { changedFiles, isReached } from './runner/changed.ts';
import { runCheck } from './runner/checks.ts';
import { CHECK, itemsOf, suitesOf, UnknownSuite, type Item } from './runner/plan.ts';
import { inLanes } from './runner/pool.ts';
import { prepare, type Prepared } from './runner/prepare.ts';
import { failuresOf, lineOf, othersOf, skipsOf, summaryOf, timesOf, type Ran } from './runner/report.ts';
import { hasFailed, type Result } from './runner/result.ts';
import { readResults, withoutResult, writeResults } from './runner/results-file.ts';
import { runTestFile } from './runner/test-file.ts';
import { serveShared } from './servers/index.ts';
import { SUITES, type Lane } from './suites.ts';
import { digestsInEnv } from './support/source-digests.ts';

const PROCESSORS = availableParallelism();
/**
 * As many files in each lane as there are processors, and one node: the helpers' own deadlines, such as 30 s for an answer, pass on a
 * machine that has many more processes than processors.
 */
const PLACES: Readonly<Record<Lane, number>> = { processor: PROCESSORS, waits: PROCESSORS, node: 1 };

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean' },
    evidence: { type: 'boolean' },
    minutes: { type: 'string' },
    only: { type: 'string' },
    results: { type: 'string' },
  },
});
const earlier = values.results === undefined ? { seconds: 0, ran: [] } : await readResults(values.results);
const began = performance.now();
const secondsSoFar = () => earlier.seconds + (performance.now() - began) / 1000;
const asked = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    process.exitCode = 128 + constants.signals[signal];
    asked.abort(new Error(`ended by ${signal}`));
  });
/** Stops running tests on timeout or on a signal, so that none outlives this process. */
const isOver = AbortSignal.any([
  asked.signal,
  ...(values.minutes === undefined ? [] : [AbortSignal.timeout(Number(values.minutes) * 60_000)]),
]);

process.exitCode = await main(positionals.length === 0 ? ['test'] : positionals).catch((error: unknown) => {
  if (!(error instanceof UnknownSuite)) throw error;
  console.error(error.message);
  return 64;
});

async function main(words: readonly string[]): Promise<number> {
  const isCi = words.length === 1 && words[0] === 'ci';
  const suites = [...new Set(words.flatMap((word) => suitesOf(isCi ? 'full' : word)))];
  const required = isCi ? suitesOf('test') : suites;
  const all = withoutResult(await chosen(itemsOf(suites).filter(isMatched)), earlier);
  await using cpu = await privateDirectory('cpu');
  await using servers = await serveShared();
  // Without the cache each file's process would strip the types of all its imports again.
  const env = { NODE_COMPILE_CACHE: join(cacheRoot(), 'compiled'), ...process.env, ...servers.env, ...digestsInEnv() };
  const prepared = prepare(
    all.filter(({ suite }) => suite !== CHECK.name).map(({ name }) => name),
    isOver,
    (line) => console.log(line),
  );
  const ran: Ran[] = [...earlier.ran];
  const missing = await runAll(all, prepared, env, cpu.path, ran);

  if (values.results !== undefined) await writeResults(values.results, { seconds: secondsSoFar(), ran });

  const cut = [...missing, ...ran.filter(({ result }) => result.isCut).map(({ item }) => item)];
  if (values.evidence === true)
    await recordOutcomes(ran.flatMap(({ result }) => (result.isCut ? [] : result.outcomes)));
  const isRequired = ({ suite }: Item) => !isCi || required.includes(suite);
  section('not run on this machine', skipsOf(ran));
  if (values.changed !== true && values.only === undefined)
    section('not run; make test-full runs all', othersOf(suites));
  section('times', timesOf(ran));
  const why = asked.signal.aborted ? 'by a signal' : `after ${values.minutes} min`;
  section(`cut ${why}, no failure`, namesOf(cut.filter((item) => !isRequired(item))));
  section(`cut ${why}, and required`, namesOf(cut.filter(isRequired)));
  // Last, where it is seen without scrolling.
  section('failed', failuresOf(ran));
  console.log(`\n${summaryOf(ran, secondsSoFar()).join('\n')}`);
  const hasFailures = ran.some(({ result }) => hasFailed(result)) || cut.some(isRequired);
  const code = asked.signal.aborted ? Number(process.exitCode) : Number(hasFailures);
  // eslint-disable-next-line unicorn/no-process-exit -- a build that is under way is not waited for; servers end with us
  if (isOver.aborted) process.exit(code);
  return code;
}

/** Whether --only selects it. */
function isMatched({ name }: Item): boolean {
  return values.only === undefined || matchesGlob(name, values.only);
}

/** All files, or those affected by changed files. */
async function chosen(items: readonly Item[]): Promise<Item[]> {
  if (values.changed !== true) return [...items];
  const changed = await changedFiles();
  const readsOf = (suite: string) => SUITES.find(({ name }) => name === suite)?.reads ?? [];
  const reached = items.filter(({ suite, name }) => suite === CHECK.name || isReached(name, changed, readsOf(suite)));
  console.log(`${changed.length} changed files reach ${reached.length} of ${items.length} test files and checks`);
  return reached;
}

/** Adds finished and interrupted files to `ran`. @returns files that were not started */
async function runAll(
  items: readonly Item[],
  { readyFor }: Prepared,
  env: NodeJS.ProcessEnv,
  cpuDirectory: string,
  ran: Ran[],
): Promise<Item[]> {
  const tasks = items.map((item) => ({
    item,
    lane: item.lane,
    ready: readyFor(item.name),
    run: (signal: AbortSignal): Promise<Result> =>
      item.suite === CHECK.name ? runCheck(item.name, signal) : runTestFile(item.name, env, cpuDirectory, signal),
  }));
  const missing = await inLanes(tasks, PLACES, isOver, ({ item }, result) => {
    ran.push({ item, result, endedAt: secondsSoFar() });
    console.log(lineOf({ item, result }));
  });
  return missing.map(({ item }) => item);
}

function section(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(`\n${title}:\n${lines.join('\n')}`);
}

function namesOf(items: readonly Item[]): string[] {
  return items.map(({ suite, name }) => `  ${suite}: ${name}`);
}
