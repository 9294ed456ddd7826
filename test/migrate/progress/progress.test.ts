import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startProgress, type ChangedTables, type ProgressOptions } from '../../../src/migrate/progress/index.ts';
import type { Live, LiveLine } from '../../../src/cli/live.ts';
import { logLines } from '../../support/helper.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { until } from '../../support/until.ts';
const ROOM = { columns: 80, lines: 20 };

function told(options: Partial<ProgressOptions> = {}) {
  const { log, said } = recordedLog('debug');
  const progress = startProgress({
    what: 'keystone-manage',
    lastLine: () => undefined,
    changed: () => Promise.resolve(undefined),
    log,
    everyMs: 5,
    ...options,
  });
  const lines = () => logLines(said());
  const first = () => until('a line', () => Promise.resolve(lines()[0]?.msg));
  return { lines, first, [Symbol.asyncDispose]: () => progress[Symbol.asyncDispose]() };
}

function tables(altered: string[], written: string[] = []): () => Promise<ChangedTables> {
  return () => Promise.resolve({ altered, written });
}

test('a line has the running time, the last line, and the changes', async () => {
  await using progress = told({ lastLine: () => 'INFO 0042 -> 0043', changed: tables(['user', 'role'], ['token']) });
  assert.match(
    await progress.first(),
    /^keystone-manage has been running for [\d.]+m?s; last line: INFO 0042 -> 0043; tables altered: user, role; tables written: token$/,
  );
});

test('progress states that a tool has no output yet, and that no table has changed', async () => {
  await using progress = told({ changed: tables([]) });
  assert.match(await progress.first(), /; no output yet; no table has changed yet$/);
});

test('progress has no tables if the server has no table statistics', async () => {
  await using progress = told();
  assert.match(await progress.first(), /no output yet$/);
});

test('many tables and long lines are truncated', async () => {
  const altered = Array.from({ length: 9 }, (_, i) => `t${i}`);
  await using progress = told({ lastLine: () => 'x'.repeat(5000), changed: tables(altered) });
  const line = await progress.first();
  assert.match(line, /x\.\.\.; tables altered: t0, t1, t2, t3, t4 and 4 more$/);
  assert.ok(line.length < 400);
});

test('a failing query stops the progress lines with a warning, and nothing else', async () => {
  await using progress = told({ changed: () => Promise.reject(new Error('broken')) });
  assert.equal(await progress.first(), 'progress reporting stopped: broken');
  assert.equal(progress.lines()[0]?.level, 'warn');
});

test('after the migration nothing is logged, and a pending query is abandoned', async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  const progress = told({
    changed: (signal) => {
      asked.resolve(signal);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ altered: [], written: [] })));
    },
  });
  await asked.promise;
  await progress[Symbol.asyncDispose]();
  assert.deepEqual(progress.lines(), []);
});

test('on a terminal progress is drawn in place, and removed at the end', async () => {
  const drawn: (readonly LiveLine[])[] = [];
  let hasLeft = false;
  const live: Live = { show: (lines) => void drawn.push(lines(ROOM)), leave: () => (hasLeft = true) };
  const progress = told({ live, changed: tables(['user']) });
  await until('a picture with its tables', () =>
    Promise.resolve(drawn.some((lines) => lines.some(({ text }) => text === 'tables altered: user')) || undefined),
  );
  await progress[Symbol.asyncDispose]();
  assert.deepEqual(progress.lines(), []);
  assert.deepEqual(drawn.at(-1), []);
  assert.ok(hasLeft);
});
