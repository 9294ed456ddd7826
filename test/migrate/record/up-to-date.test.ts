import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FenceRow } from '../../../src/migrate/fence/fence.ts';
import { doneIn, lookAtRecord, passedIn } from '../../../src/migrate/turn/up-to-date.ts';
import { parseMysqlUrl } from '../../../src/mysql/index.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { recordRows } from './rows.ts';

/** The token of what was done already, for a Job of 2025.2. */
function passed(phase: string, ...lines: readonly string[]): number | undefined {
  return passedIn(recordRows(...lines), { service: 'keystone', release: '2025.2-ubuntu-noble', phase })?.token;
}

const OLD = [
  '2025.2-ubuntu-noble expand done',
  '2025.2-ubuntu-noble migrate done',
  '2025.2-ubuntu-noble contract done',
];

test("a Job of the older release, which a rollback has created again, does not run its tool on the newer release's schema", () => {
  assert.equal(passed('expand', ...OLD, '2026.1-ubuntu-noble expand done'), 1);
  assert.equal(passed('contract', ...OLD, '2026.1-ubuntu-noble expand done', '2026.1-ubuntu-noble migrate done'), 3);
  assert.equal(passed('migrate', ...OLD, '2026.1 expand failed', 'x bootstrap:tool failed'), 2, 'a failed upgrade');
  assert.equal(passed('contract', '2025.2-ubuntu-noble all done', '2026.1 expand done'), 1, 'a complete migration');
});

test('without a newer release, after its contract, or among unknown releases, the tool is asked', () => {
  for (const later of [
    [],
    ['2026.1 expand done', '2026.1 contract running'],
    ['2026.1 all done'],
    ['main expand done'],
  ])
    assert.equal(passed('expand', ...OLD, ...later), undefined, later.join(', '));
  assert.equal(passed('expand', ...OLD, '2025.1 expand done'), undefined, 'an older release');
  assert.equal(passed('online', ...OLD, '2026.1 expand done'), undefined, 'never done');
  assert.equal(passed('expand', '2025.2-ubuntu-noble expand failed', '2026.1 expand done'), undefined, 'failed');
});

test('work is done by its record, unless a migration since then, or the one in the fence, has not been done', () => {
  const claim = { service: 'keystone', release: '2025.2', phase: 'expand', work: '' };
  const doneBy = (fence: string | undefined, ...lines: readonly string[]) => {
    const [phase = '', state = ''] = fence?.split(' ') ?? [];
    return doneIn(recordRows(...lines), fence === undefined ? undefined : ({ phase, state } as FenceRow), claim)?.token;
  };
  assert.equal(doneBy('expand done', '2025.2 expand done', '2025.2 migrate done'), 1);
  assert.equal(doneBy('bootstrap:tool failed', '2025.2 expand done', '2025.2 bootstrap:tool failed'), 1);
  assert.equal(
    doneBy('contract done', '2025.2 expand done', '2026.1 migrate failed', '2026.1 contract done'),
    undefined,
  );
  assert.equal(doneBy('migrate running', '2025.2 expand done'), undefined);
  assert.equal(doneBy(undefined, '2025.2 expand done'), undefined, 'without a fence');
  assert.equal(doneBy('expand done', '2025.1 expand done', '2025.2 migrate done'), undefined, 'never done');
});

test('a command of the user runs whatever is recorded for the phase that it is named after', async ({ signal }) => {
  const plan = {
    service: 'nova',
    release: '2025.2',
    phase: 'expand',
    isCommand: true,
    target: parseMysqlUrl('mysql://nova:p@127.0.0.1:1/nova'),
    timeoutMs: 1,
  } as unknown as Parameters<typeof lookAtRecord>[0];
  const effects = { signal, log: recordedLog().log, redact: (text: string) => text };
  assert.equal(await lookAtRecord(plan, effects), undefined);
});
