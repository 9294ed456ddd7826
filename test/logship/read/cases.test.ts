import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { CASES, outcomeOf, type Case, type Outcome } from './cases.ts';
import { rig } from './rig.ts';

const WHOLE: Outcome = { lost: 0, doubled: 0, corrupt: 0 };

/** The cases that tail-file fails, and therefore is not used as the reader: docs/adr/0010-own-reader.md. */
const TAIL_FILE_FAILS: ReadonlySet<string> = new Set([
  'a character is written in parts',
  'a writer keeps the old file after a rename',
  'two renames between polls',
  'copytruncate before the last lines were read',
  'two copytruncates between polls',
  'copytruncate, and the new content is longer than the old one',
  'copytruncate, and the new content starts like the old one',
]);

/** Maximum time without a line, because a reader that loses lines would never deliver them. */
const PATIENCE_MS = { passing: 10_000, failing: 500 };

for (const each of CASES) {
  test(`our reader: ${each.name}`, async (t) => {
    await using ours = await rig('our reader', 0);
    assert.deepEqual(await said(t, each, ours), WHOLE);
  });
}

for (const each of CASES) {
  const fails = TAIL_FILE_FAILS.has(each.name);
  test(`tail-file ${fails ? 'fails' : 'passes'}: ${each.name}`, async (t) => {
    await using theirs = await rig('tail-file', fails ? PATIENCE_MS.failing : PATIENCE_MS.passing);
    const outcome = await said(t, each, theirs);
    if (!fails) return assert.deepEqual(outcome, WHOLE);
    assert.notDeepEqual(
      outcome,
      WHOLE,
      'tail-file now passes this: once it passes all cases, adopt it (docs/adr/0010)',
    );
  });
}

async function said(t: TestContext, one: Case, reader: Parameters<typeof outcomeOf>[1]): Promise<Outcome> {
  const outcome = await outcomeOf(one, reader);
  t.diagnostic(`${outcome.lost} lost, ${outcome.doubled} doubled, ${outcome.corrupt} corrupt`);
  return outcome;
}

test('reports the cost of reading 20,000 lines, and one of two megabytes', async (t) => {
  const many = Array.from({ length: 20_000 }, (_, n) => `line ${n} ${'x'.repeat(210)}`);
  for (const [what, lines] of [
    ['20,000 lines', many],
    ['2 MB', ['y'.repeat(2_000_000)]],
  ] as const) {
    for (const reader of ['our reader', 'tail-file'] as const) {
      await using one = await rig(reader, PATIENCE_MS.passing);
      writeFileSync(one.path('a.log'), lines.map((line) => `${line}\n`).join(''));
      const before = process.cpuUsage();
      await one.look(lines.length);
      const { user, system } = process.cpuUsage(before);
      t.diagnostic(`${what}, ${reader}: ${Math.round((user + system) / 1000)} ms of CPU`);
      assert.equal(one.lines.length, lines.length);
    }
  }
});
