import { readFile } from 'node:fs/promises';
import { run as runTests } from 'node:test';
import { spec } from 'node:test/reporters';
import { Readable } from 'node:stream';
import { ignoreAbsent } from '../../src/fs/absent.ts';
import { cpuTimeFile } from './cpu-time-file.ts';
import { notRun, Outcomes, type Outcome, type ReportedEvent } from './outcomes.ts';
import { NO_COUNTS, type Counts, type Result } from './result.ts';

/** Includes the final counts, which node:test gives per file and for the whole run. */
interface Event extends ReportedEvent {
  readonly data: ReportedEvent['data'] & { readonly counts?: Counts };
}

const PRELOADED = ['./test/support/file-limit.ts', './test/runner/cpu-time.ts'];

/**
 * Runs one test file in a separate process.
 * @param cpuDirectory where its process writes its CPU time
 * @param signal stops it early
 */
export async function runTestFile(
  file: string,
  env: NodeJS.ProcessEnv,
  cpuDirectory: string,
  signal: AbortSignal,
): Promise<Result> {
  const began = performance.now();
  const events: Event[] = [];
  const outcomes = new Outcomes();
  const stream = runTests({
    files: [file],
    concurrency: 1,
    env: { ...env, KOLLA_POD_TEST_CPU: cpuDirectory },
    execArgv: PRELOADED.flatMap((module) => ['--import', module]),
    signal,
  });
  for await (const event of stream as AsyncIterable<Event>) {
    events.push(event);
    outcomes.see(event);
  }
  const cpu = await readFile(cpuTimeFile(cpuDirectory, file), 'utf8').catch(ignoreAbsent);
  return {
    counts: countsOf(events, outcomes.all),
    outcomes: signal.aborted ? [notRun(file)] : outcomes.all,
    text: await reported(events),
    seconds: (performance.now() - began) / 1000,
    ...(cpu !== undefined && { cpuSeconds: Number(cpu) }),
    isCut: signal.aborted,
  };
}

/**
 * The final counts, plus one test per describe() that was skipped as a whole or failed in a hook: Node counts neither.
 */
function countsOf(events: readonly Event[], outcomes: readonly Outcome[]): Counts {
  const whole = events.findLast(({ type, data }) => type === 'test:summary' && data.file === undefined);
  const { tests, skipped, failed, ...others } = whole?.data.counts ?? NO_COUNTS;
  const suites = outcomes.filter(({ isSuite }) => isSuite);
  const [more, broken] = ['skipped', 'failed'].map((result) => suites.filter((each) => each.result === result).length);
  return { ...others, tests: tests + suites.length, skipped: skipped + more!, failed: failed + broken! };
}

/** The format of Node's own reporter. */
async function reported(events: readonly Event[]): Promise<string> {
  const parts: string[] = [];
  const isSummary = ({ type, data }: Event) =>
    type === 'test:summary' || (type === 'test:diagnostic' && data.nesting === 0 && data.file === undefined);
  for await (const text of Readable.from(events.filter((event) => !isSummary(event))).compose(new spec()))
    parts.push(String(text));
  return parts.join('');
}
