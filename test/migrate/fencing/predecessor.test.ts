import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountNameOf } from '../../../src/migrate/fence/account.ts';
import { fencePredecessor } from '../../../src/migrate/fencing/index.ts';
import type { FenceRow } from '../../../src/migrate/fence/fence.ts';
import type { Databases, LockTerms } from '../../../src/migrate/plan/plan.ts';
import type { Reached } from '../../../src/migrate/server/reach.ts';
import { parseMysqlUrl } from '../../../src/mysql/index.ts';
import { recordedLog } from '../../support/recorded-log.ts';

const TRACE = { account: '', kept: '', client: '10.0.0.7', lockSession: '', isAlone: 0, token: 5 };
/** A session on one server without sessions of others, where a migration has left its trace under token 5. */
const SESSION = {
  isGalera: false,
  rows: (sql: string) => {
    if (sql.includes('trace_token')) return Promise.resolve([TRACE]);
    return Promise.resolve(sql.includes('ID = CONNECTION_ID()') ? [{ host: '10.0.0.8:1' }] : []);
  },
} as unknown as Reached;
const PLAN = {
  target: parseMysqlUrl('mysql://keystone:p@db/keystone'),
  others: [],
  admin: undefined,
  timeoutMs: 60_000,
  lockTimeoutMs: 60_000,
} as unknown as Databases & LockTerms;

/** Fences the predecessor until it waits, and returns whether it did. */
async function waits(before: Pick<FenceRow, 'state' | 'token'>): Promise<boolean> {
  const waiting = new AbortController();
  const { log } = recordedLog('info', (line) => {
    if (line.includes('the time for its command to stop')) waiting.abort();
  });
  const found = { before: { holder: 'host/1/ab', started: '', ...before } as FenceRow };
  const { signal } = waiting;
  await fencePredecessor(PLAN, SESSION, found, { signal, log, redact: (text) => text }).catch(() => {});
  return signal.aborted;
}

test('an interrupted command gets time to stop, also if the first successor did not wait until its end', async () => {
  assert.equal(await waits({ state: 'running', token: 5 }), true);
  assert.equal(await waits({ state: 'interrupted', token: 6 }), true);
});

test('a command whose end is recorded gets no time to stop', async () => {
  assert.equal(await waits({ state: 'interrupted', token: 5 }), false);
});

test("another service's account in the fence row, or in that of a copied database, is not ended", async () => {
  const { log } = recordedLog();
  const { signal } = new AbortController();
  const fence = async (trace: object) => {
    const rows = (sql: string) => (sql.includes('trace_token') ? [{ ...TRACE, client: '', ...trace }] : []);
    const session = { ...SESSION, rows: (sql: string) => Promise.resolve(rows(sql)) } as unknown as Reached;
    const before = { state: 'done', token: 5 } as FenceRow;
    return await fencePredecessor(PLAN, session, { before }, { signal, log, redact: (text) => text });
  };
  const own = accountNameOf('keystone', 'keystone', 5);
  assert.deepEqual(await fence({ account: own }), [own]);
  for (const other of [accountNameOf('nova', 'nova', 5), accountNameOf('keystone', 'keystone_copy', 5)]) {
    const rejected = { exitCode: 69, message: new RegExp(`'${other}', .* of database keystone by keystone`) };
    await assert.rejects(fence({ account: other }), rejected);
    await assert.rejects(fence({ account: own, kept: JSON.stringify([other]) }), rejected);
  }
});
