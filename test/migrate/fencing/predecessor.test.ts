import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fencePredecessor } from '../../../src/migrate/fencing/index.ts';
import type { FenceRow } from '../../../src/migrate/lock/fence.ts';
import type { Databases, LockTerms } from '../../../src/migrate/plan.ts';
import type { Reached } from '../../../src/migrate/target/reach.ts';
import { parseMysqlUrl } from '../../../src/mysql/index.ts';
import { recordedLog } from '../../support/recorded-log.ts';

/** A session on one server without sessions of others, where a migration has left its trace under token 5. */
const SESSION = {
  isGalera: false,
  rows: (sql: string) => {
    const trace = { account: '', kept: '', client: '10.0.0.7', lockSession: '', isAlone: 0, token: 5 };
    if (sql.includes('trace_token')) return Promise.resolve([trace]);
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
