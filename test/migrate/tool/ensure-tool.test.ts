import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LockedWork } from '../../../src/migrate/plan.ts';
import type { Held } from '../../../src/migrate/steps/run-steps.ts';
import { ensureTool } from '../../../src/migrate/tool/ensure-tool.ts';
import type { Task } from '../../../src/migrate/tool/index.ts';
import { redactor } from '../../../src/core/redact.ts';
import { recordedLog } from '../../support/recorded-log.ts';

/** Used in place of the lock session's socket, which this tool does not need. */
const NO_SOCKET = 2;

test('the record of a task that is done is written again after a conflict on Galera', async () => {
  const at = { host: 'db', port: 1 };
  let updates = 0;
  const change = (sql: string) => {
    const isConflict = sql.startsWith('UPDATE') && updates++ === 0;
    return isConflict ? Promise.reject(Object.assign(new Error('deadlock'), { errno: 1213 })) : { changed: 1 };
  };
  const signal = new AbortController().signal;
  const session = {
    at,
    descriptor: NO_SOCKET,
    lost: signal,
    rows: () => [],
    change: async (sql: string) => change(sql),
  };
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
  const held = { session, lost: signal, token: 1 } as unknown as Held;
  const effects = { signal, log: recordedLog().log, redact: redactor([]) };
  const { changes } = await ensureTool([task], plan as unknown as LockedWork, held, claim, effects);
  assert.deepEqual({ changes, updates }, { changes: 1, updates: 2 });
});
