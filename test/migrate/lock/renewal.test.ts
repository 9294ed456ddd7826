import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { startRenewal } from '../../../src/migrate/fence/renewal.ts';
import type { MysqlSession } from '../../../src/mysql/index.ts';

/** A session of a frozen server, which accepts statements and answers none. */
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

test('shutdown does not wait for a renewal by a frozen server', async () => {
  const { session, asked } = frozen();
  const stop = new AbortController();
  const renewal = startRenewal({ ...OPTIONS, session, takenAt: performance.now(), signal: stop.signal });
  await asked;
  const disposed = renewal[Symbol.asyncDispose]();
  stop.abort(new Error('asked to end'));
  await disposed;
  assert.ok(!renewal.lost.aborted);
});

test('shutdown does not wait for a renewal sent after the signal either', async () => {
  const { session, asked } = frozen();
  const signal = AbortSignal.abort(new Error('asked to end'));
  const renewal = startRenewal({ ...OPTIONS, session, takenAt: performance.now(), signal });
  await asked;
  await renewal[Symbol.asyncDispose]();
  assert.ok(!renewal.lost.aborted);
});

interface Answers {
  readonly changed?: number;
  readonly ours?: number;
  /** Awaited before each update of the fence. */
  readonly pause?: () => Promise<void>;
}

/** A session whose renewals get these answers. `limits` records the timeout of each update of the fence. */
function answering({ changed = 1, ours = 1, pause = () => Promise.resolve() }: Answers) {
  const limits: number[] = [];
  const session = {
    change: async (_sql: string, _values: unknown, timeoutMs: number) => {
      limits.push(timeoutMs);
      await pause();
      return { changed };
    },
    rows: () => Promise.resolve([{ ours }]),
    lost: new AbortController().signal,
  } as unknown as MysqlSession;
  return { session, limits };
}

/** Resolves with the reason when the lock is lost. Rejects if any renewal is confirmed. */
async function reasonOfLoss(answers: Answers): Promise<string> {
  const { session } = answering(answers);
  const { signal } = new AbortController();
  const confirmed = Promise.withResolvers<never>();
  const onConfirmed = () => confirmed.reject(new Error('confirmed'));
  await using renewal = startRenewal({ ...OPTIONS, session, takenAt: performance.now(), signal, onConfirmed });
  await Promise.race([once(renewal.lost, 'abort'), confirmed.promise]);
  return (renewal.lost.reason as Error).message;
}

test('a fence row with another token means that the lock is lost', async () => {
  assert.equal(await reasonOfLoss({ changed: 0 }), 'the lock was lost: another migrator has taken the fence row');
});

test('a lock that another session holds is lost', async () => {
  assert.equal(await reasonOfLoss({ ours: 0 }), 'the lock was lost: the server has given the lock to another session');
});

test('the time until the lock counts as lost starts when a renewal is sent', async (t) => {
  let clock = 0;
  t.mock.method(performance, 'now', () => clock);
  const second = Promise.withResolvers<void>();
  const { session, limits } = answering({
    pause: async () => {
      if (limits.length > 1) second.resolve();
      clock += 150;
    },
  });
  const { signal } = new AbortController();
  await using renewal = startRenewal({ ...OPTIONS, session, takenAt: 0, signal });
  await second.promise;
  assert.ok(!renewal.lost.aborted);
  assert.deepEqual(limits.slice(0, 2), [OPTIONS.lossMs, OPTIONS.lossMs - 150]);
});
