import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { reading, type Reading, type ReadingOptions } from './reading.ts';

/** The line of a file that is read after the others. */
const LAST = 'last of all';

/** With two open files one log can be open, and the others are closed when they are moved. */
const LIMITS: readonly (readonly [string, ReadingOptions])[] = [
  ['', {}],
  [', also if it is closed', { openFiles: 2 }],
];

/** Asserts that each line was read once, with an ID that its content determines. */
function assertOnce(r: Reading, lines: readonly string[]): void {
  assert.deepEqual(
    r.lines.filter((line) => line !== LAST),
    lines,
  );
  assert.equal(new Set(r.ids).size, r.lines.length);
}

async function withTwoLines(limit: ReadingOptions): Promise<Reading> {
  const r = await reading({ patterns: ['nova/*.log'], ...limit });
  mkdirSync(r.path('nova'));
  writeFileSync(r.path('nova/a.log'), 'one\ntwo\n');
  writeFileSync(r.path('nova/z.log'), `${LAST}\n`);
  await r.poll();
  return r;
}

for (const [suffix, limit] of LIMITS) {
  for (const [what, from, to] of [
    ['file', 'nova/a.log', 'nova/a.log.1'],
    ['file with a new name unlike a rotated one', 'nova/a.log', 'nova/aside'],
    ['directory', 'nova', 'away'],
  ] as const) {
    test(`a ${what} that was renamed back resumes at its offset${suffix}`, async () => {
      await using r = await withTwoLines(limit);
      for (const line of ['three', 'four']) {
        renameSync(r.path(from), r.path(to));
        await r.poll();
        renameSync(r.path(to), r.path(from));
        await r.poll();
        appendFileSync(r.path('nova/a.log'), `${line}\n`);
        await r.poll();
      }
      await r.restart();
      appendFileSync(r.path('nova/a.log'), 'five\n');
      await r.poll();
      assertOnce(r, ['one', 'two', 'three', 'four', 'five']);
    });
  }

  test(`reads lines written to a file while it was moved away, and after it is back${suffix}`, async () => {
    await using r = await withTwoLines(limit);
    renameSync(r.path('nova'), r.path('away'));
    appendFileSync(r.path('away/a.log'), 'three\n');
    await r.poll();
    appendFileSync(r.path('away/a.log'), 'four\n');
    renameSync(r.path('away'), r.path('nova'));
    await r.poll();
    assertOnce(r, ['one', 'two', 'three', 'four']);
  });

  test(`a file that is back after another took its place resumes, and the other file is read to its end${suffix}`, async () => {
    await using r = await withTwoLines(limit);
    renameSync(r.path('nova/a.log'), r.path('nova/aside'));
    writeFileSync(r.path('nova/a.log'), 'other\n');
    await r.poll();
    appendFileSync(r.path('nova/a.log'), 'last\n');
    renameSync(r.path('nova/aside'), r.path('nova/a.log'));
    appendFileSync(r.path('nova/a.log'), 'three\n');
    await r.poll();
    assertOnce(r, ['one', 'two', 'other', 'last', 'three']);
  });

  test(`a file found under another name after a restart is followed again once it is back${suffix}`, async () => {
    await using r = await withTwoLines(limit);
    renameSync(r.path('nova/a.log'), r.path('nova/a.log.1'));
    await r.restart();
    await r.poll();
    renameSync(r.path('nova/a.log.1'), r.path('nova/a.log'));
    await r.poll();
    assertOnce(r, ['one', 'two']);
    truncateSync(r.path('nova/a.log'));
    await r.poll();
    appendFileSync(r.path('nova/a.log'), 'one\ntwo\nthree\n');
    await r.poll();
    assertOnce(r, ['one', 'two', 'one', 'two', 'three']);
  });
}
