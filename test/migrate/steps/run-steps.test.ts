import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LockedWork } from '../../../src/migrate/plan/plan.ts';
import { runSteps, type LockedSession } from '../../../src/migrate/steps/run-steps.ts';
import { redactor } from '../../../src/core/redact.ts';
import { recordedLog } from '../../support/recorded-log.ts';

/** Used in place of the lock session's socket, which these steps do not need. */
const NO_SOCKET = 2;

function ranAll(...scripts: string[]) {
  return ranIn(undefined, ...scripts);
}

async function ranIn(directory: string | undefined, ...scripts: string[]) {
  return await ranUntil(new AbortController().signal, directory, ...scripts);
}

async function ranUntil(signal: AbortSignal, directory: string | undefined, ...scripts: string[]) {
  const at = { host: 'db', port: 1 };
  const target = { ...at, user: 'u', password: '', database: 'd' };
  const steps = scripts.map((script) => ({ argv: ['sh', '-c', script] as const, directory }));
  const childEnv = () => ({ PATH: process.env['PATH'] });
  const plan = { steps, childEnv, target, others: [], graceMs: 0, lossMs: 40_000, leaseMs: 60_000 };
  const rows = () => Promise.reject(new Error('no server'));
  const held = { session: { at, descriptor: NO_SOCKET, rows }, lost: new AbortController().signal };
  const effects = { signal, log: recordedLog().log, redact: redactor([]) };
  return await runSteps(plan as unknown as LockedWork, held as unknown as LockedSession, effects);
}

const EXISTS = `echo "(1050, \\"Table 'role' already exists\\")"`;

test('a step that finds an existing object needs a repair', async () => {
  const { needsRepair, meaning = '' } = await ranAll('true', `${EXISTS}; exit 1`);
  assert.equal(needsRepair, true);
  assert.match(meaning, /partially applied/);
});

test('an error that an earlier step has survived does not explain why a later one failed', async () => {
  const { outcome, needsRepair, meaning, output } = await ranAll(EXISTS, 'echo no module named nova; exit 1');
  assert.deepEqual(
    { outcome, needsRepair, meaning },
    {
      outcome: { state: 'ended', code: 1 },
      needsRepair: false,
      meaning: undefined,
    },
  );
  assert.match(output, /already exists.*\nno module named nova$/s);
});

test('a step that cannot be started is a result that can be recorded, like a failed one', async () => {
  const { outcome, meaning, output, error } = await ranIn('/nowhere', 'true');
  assert.deepEqual(outcome, { state: 'ended', code: 69 });
  assert.match(meaning ?? '', /cannot start \/bin\/sh/);
  assert.deepEqual([output, error?.message], [meaning, meaning], 'in the record, and in the log');
});

test('a step that cannot be started because we are ending is interrupted, not failed', async () => {
  const ending = new AbortController();
  // Aborted once the step is being started: before, nothing is started.
  let reads = 0;
  const signal = Object.create(ending.signal, { aborted: { get: () => reads++ > 0 } }) as AbortSignal;
  const { outcome, error } = await ranUntil(signal, '/nowhere', 'true');
  assert.deepEqual([outcome, error], [{ state: 'interrupted', code: 0 }, undefined]);
});
