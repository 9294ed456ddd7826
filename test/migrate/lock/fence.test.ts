import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeFence, type Claim, type FenceRow } from '../../../src/migrate/fence/fence.ts';
import type { MysqlSession } from '../../../src/mysql/index.ts';

const CLAIM: Claim = { holder: 'host/1/ab', service: 'keystone', release: '', phase: 'all', work: 'w' };
const FREE: FenceRow = {
  ...CLAIM,
  holder: 'host/0/cd',
  token: 6,
  state: 'done',
  started: undefined,
  renewed: undefined,
  ended: undefined,
  exitCode: 0,
};

/** Responds to each write and each read with the next given result: affected rows, a row, or an error number. */
function scripted(changes: (number | { errno: number })[], reads: FenceRow[] = []): MysqlSession {
  const change = () => {
    const next = changes.shift();
    if (typeof next !== 'number') return Promise.reject(Object.assign(new Error('undone'), next));
    return Promise.resolve({ changed: next, warnings: 0 });
  };
  const rows = () => Promise.resolve(reads.splice(0, 1) as unknown as Record<string, unknown>[]);
  return { change, rows } as unknown as MysqlSession;
}

test('the fence is taken with the next token', async () => {
  assert.equal(await takeFence(scripted([1]), CLAIM, FREE), 7);
});

test('no affected row means that another migrator was faster', async () => {
  assert.equal(await takeFence(scripted([0]), CLAIM, FREE), undefined);
});

for (const errno of [1213, 1205, 1020, 1047, 1180]) {
  test(`after ${errno} the statement is retried if the row is unchanged`, async () => {
    assert.equal(await takeFence(scripted([{ errno }, 1], [FREE]), CLAIM, FREE), 7);
  });

  test(`after ${errno} the fence is taken if the row has our token`, async () => {
    const ours: FenceRow = { ...FREE, ...CLAIM, token: 7, state: 'running' };
    assert.equal(await takeFence(scripted([{ errno }], [ours]), CLAIM, FREE), 7);
  });
}

test('any other error is not retried', async () => {
  await assert.rejects(takeFence(scripted([{ errno: 1142 }, 1], [FREE]), CLAIM, FREE), { errno: 1142 });
});
