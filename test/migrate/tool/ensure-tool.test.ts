import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LockedWork } from '../../../src/migrate/plan/plan.ts';
import type { LockedSession } from '../../../src/migrate/steps/run-steps.ts';
import { ensureTool } from '../../../src/migrate/tool/ensure-tool.ts';
import type { Task } from '../../../src/migrate/tool/index.ts';
import { redactor } from '../../../src/core/redact.ts';
import { recordedLog } from '../../support/recorded-log.ts';

/** Used in place of the lock session's socket, which this tool does not need. */
const NO_SOCKET = 2;

/** Runs a task that succeeds. @param change answers its writes @param lost aborted when its session has ended */
async function ensureOne(change: (sql: string) => { changed: number }, lost: AbortSignal) {
  const at = { host: 'db', port: 1 };
  const signal = new AbortController().signal;
  const session = { at, descriptor: NO_SOCKET, lost, rows: () => [], change: async (sql: string) => change(sql) };
  const target = { ...at, user: 'u', password: '', database: 'd' };
  const childEnv = () => ({ PATH: process.env['PATH'] });
  const plan = { childEnv, target, others: [], graceMs: 0, lossMs: 40_000, leaseMs: 60_000 };
  const task: Task = {
    name: 'thing',
    steps: [{ argv: ['true'] }],
    environment: {},
    shown: {},
    secrets: {},
    throwawayKeys: [],
    lacks: undefined,
    settings: {},
    done: { once: 'ever', within: undefined },
    redact: redactor([]),
  };
  const claim = { holder: 'me', service: 'x', release: '', phase: 'bootstrap', work: '' };
  const held = { session, lost: signal, token: 1 } as unknown as LockedSession;
  const effects = { signal, log: recordedLog().log, redact: redactor([]) };
  return await ensureTool([task], plan as unknown as LockedWork, held, claim, effects);
}

test('the record of a task that is done is written again after a conflict on Galera', async () => {
  let updates = 0;
  const change = (sql: string) => {
    if (sql.startsWith('UPDATE') && updates++ === 0) throw Object.assign(new Error('deadlock'), { errno: 1213 });
    return { changed: 1 };
  };
  const { changes } = await ensureOne(change, new AbortController().signal);
  assert.deepEqual({ changes, updates }, { changes: 1, updates: 2 });
});

test('a task that is done, but cannot be recorded because its session has ended, is not reported as done', async () => {
  const session = new AbortController();
  const change = () => {
    session.abort();
    return { changed: 1 };
  };
  await assert.rejects(ensureOne(change, session.signal), { exitCode: 69, message: /could not be recorded: run it/ });
});
