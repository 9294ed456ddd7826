import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRenewal } from '../../../src/migrate/lock/renewal.ts';
import type { MysqlSession } from '../../../src/mysql/index.ts';

/** A session of a server that is frozen: it takes statements, and answers none. */
function frozen() {
  const asked = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  const ask = () => {
    asked.resolve();
    return never;
  };
  const session = { rows: ask, change: ask, lost: new AbortController().signal } as Partial<MysqlSession>;
  return { session: session as MysqlSession, asked: asked.promise };
}

const OPTIONS = { lockName: 'x', token: 1, lossMs: 400 };

test('on shutdown it does not wait for a renewal by a frozen server', async () => {
  const { session, asked } = frozen();
  const stop = new AbortController();
  const renewal = startRenewal({ ...OPTIONS, session, takenAt: performance.now(), signal: stop.signal });
  await asked;
  const disposed = renewal[Symbol.asyncDispose]();
  stop.abort(new Error('asked to end'));
  await disposed;
  assert.ok(!renewal.lost.aborted);
});

test('also if the renewal was sent before', async () => {
  const { session, asked } = frozen();
  const signal = AbortSignal.abort(new Error('asked to end'));
  const renewal = startRenewal({ ...OPTIONS, session, takenAt: performance.now(), signal });
  await asked;
  await renewal[Symbol.asyncDispose]();
  assert.ok(!renewal.lost.aborted);
});
