import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { run as runTests } from 'node:test';
import { spec } from 'node:test/reporters';
import { Readable } from 'node:stream';
import { ignoreAbsent } from '../../src/platform/fs/absent.ts';
import { cpuTimeFile } from './cpu-time-file.ts';
import { NO_COUNTS, type Counts, type Outcome, type Result } from './outcome.ts';

/** The parts of node:test's events that are used here. */
interface Event {
  readonly type: string;
  readonly data: {
    readonly file?: string;
    readonly name?: string;
    readonly nesting?: number;
    readonly testId?: number;
    readonly parentId?: number;
    readonly skip?: string | boolean;
    readonly todo?: string | boolean;
    readonly counts?: Counts;
    readonly details?: { readonly type?: string };
  };
}

const PRELOADED = ['./test/support/file-limit.ts', './test/runner/cpu-time.ts'];

/**
 * Runs one test file in a process of its own.
 * @param cpuDirectory where its process leaves what it has cost
 * @param signal ends it before its end
 */
export async function runTestFile(
  file: string,
  env: NodeJS.ProcessEnv,
  cpuDirectory: string,
  signal: AbortSignal,
): Promise<Result> {
  const began = performance.now();
  const events: Event[] = [];
  const stream = runTests({
    files: [file],
    concurrency: 1,
    env: { ...env, KOLLA_POD_TEST_CPU: cpuDirectory },
    execArgv: PRELOADED.flatMap((module) => ['--import', module]),
    signal,
  });
  for await (const event of stream) events.push(event as Event);
  const cpu = await readFile(cpuTimeFile(cpuDirectory, file), 'utf8').catch(ignoreAbsent);
  return {
    counts: countsOf(events),
    outcomes: outcomesOf(events, file),
    text: await reported(events),
    seconds: (performance.now() - began) / 1000,
    ...(cpu !== undefined && { cpuSeconds: Number(cpu) }),
    isCut: signal.aborted,
  };
}

/** The closing counts, with one skipped test for each describe() that was skipped as a whole, which Node doesn't count. */
export function countsOf(events: readonly Event[]): Counts {
  const whole = events.findLast(({ type, data }) => type === 'test:summary' && data.file === undefined);
  const counts = whole?.data.counts ?? NO_COUNTS;
  const skipped = events.filter(
    ({ type, data }) => type === 'test:pass' && data.details?.type === 'suite' && isSkipped(data.skip),
  ).length;
  return { ...counts, tests: counts.tests + skipped, skipped: counts.skipped + skipped };
}

/** One outcome for each test, in the order in which they ended. A describe() has none of its own, unless it was skipped. */
export function outcomesOf(events: readonly Event[], file: string): Outcome[] {
  const parents = new Map<number, { readonly name: string; readonly parentId: number }>();
  for (const { type, data } of events) {
    if (type === 'test:enqueue' && data.testId !== undefined && isOfFile(data, file))
      parents.set(data.testId, { name: data.name ?? '', parentId: data.parentId ?? 0 });
  }
  const fullName = (testId: number): string => {
    const node = parents.get(testId);
    if (node === undefined) return '';
    const above = fullName(node.parentId);
    return above === '' ? node.name : `${above} > ${node.name}`;
  };
  return events.flatMap(({ type, data }): Outcome[] => {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.testId === undefined) return [];
    const of = { file, name: fullName(data.testId) || (data.name ?? '') };
    if (isSkipped(data.skip)) {
      return [{ ...of, result: 'skipped', ...(typeof data.skip === 'string' && { reason: data.skip }) }];
    }
    if (data.details?.type === 'suite') return [];
    return [{ ...of, result: type === 'test:pass' ? 'passed' : 'failed' }];
  });
}

/** Node numbers the file itself and, from 1 again, the tests in it; the file's own name is its path. */
function isOfFile({ name }: Event['data'], file: string): boolean {
  return name === undefined || relative('.', name) !== relative('.', file);
}

function isSkipped(skip: string | boolean | undefined): boolean {
  return skip !== undefined && skip !== false;
}

/** As Node's own reporter prints it. */
async function reported(events: readonly Event[]): Promise<string> {
  const parts: string[] = [];
  const isSummary = ({ type, data }: Event) =>
    type === 'test:summary' || (type === 'test:diagnostic' && data.nesting === 0 && data.file === undefined);
  for await (const text of Readable.from(events.filter((event) => !isSummary(event))).compose(new spec()))
    parts.push(String(text));
  return parts.join('');
}
