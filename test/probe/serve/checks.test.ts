import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { startChecks, type Checks } from '../../../src/probe/serve/checks.ts';
import type { Change } from '../../../src/probe/serve/resident-check.ts';
import type { PreparedCheck } from '../../../src/probe/serve/prepare.ts';
import { healthOf, type Role } from '../../../src/probe/serve/part.ts';
import { tcp } from '../../../src/probe/checks/tcp.ts';
import { healthy, unhealthy, type CheckResult } from '../../../src/probe/ask/verdict.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { freePort } from '../../../tools/port.ts';
import { listenTcp } from '../../support/server.ts';
import { until } from '../../support/until.ts';

type Ask = (signal: AbortSignal, tell?: (awaited: string) => void) => Promise<CheckResult>;

/** Its verdict is stale after three periods and the timeout, which is longer than a busy machine stops a process. */
function checkOf(name: string, ask: Ask, more: Partial<PreparedCheck> = {}): PreparedCheck {
  const question = { subject: `test ${name}`, hosts: [], ask };
  return { name, roles: ['readiness'], period: 100, timeout: 60_000, failures: 1, question, ...more };
}

/** A check whose result the test sets. */
function settable(name: string, first: CheckResult, more: Partial<PreparedCheck> = {}) {
  const told = { verdict: first, asked: 0 };
  const check = checkOf(
    name,
    () => {
      told.asked++;
      return Promise.resolve(told.verdict);
    },
    more,
  );
  return { told, check };
}

function started(checks: readonly PreparedCheck[], random = () => 0) {
  const stop = new AbortController();
  const { log, said } = recordedLog();
  const changes: Change[] = [];
  const timing = { now: () => performance.now(), random };
  const tell = (change: Change) => void changes.push(change);
  const running = startChecks(checks, { signal: stop.signal, log }, { timing, tell });
  return { running, changes, stop, said };
}

const stateOf = (checks: Checks, name: string) => checks.snapshot().find((each) => each.name === name)?.state;

function becoming(checks: Checks, name: string, state: string) {
  return until(`${name} to be ${state}`, async () => (stateOf(checks, name) === state ? true : undefined));
}

test('a check is unknown until its first verdict', async () => {
  const { promise, resolve } = Promise.withResolvers<CheckResult>();
  const { running } = started([checkOf('slow', () => promise, { period: 60_000, timeout: 50_000 })]);
  await using _ = running;
  assert.equal(stateOf(running, 'slow'), 'unknown');
  resolve(unhealthy('refused'));
  await becoming(running, 'slow', 'unhealthy');
  assert.equal(running.snapshot()[0]?.reason, 'refused');
});

test('at the deadline the reason is the pending step', async () => {
  const frozen: Ask = (_signal, tell) => {
    tell?.('the server does not greet');
    return new Promise(() => {});
  };
  const { running } = started([checkOf('frozen', frozen, { period: 60_000, timeout: 50 })]);
  await using _ = running;
  await becoming(running, 'frozen', 'unhealthy');
  assert.equal(running.snapshot()[0]?.reason, 'no response in 50ms: the server does not greet');
});

test('a real server that stops and starts is detected both times', async () => {
  const port = await freePort();
  const input = { operands: [`127.0.0.1:${port}`], child: [], options: {} };
  const question = await tcp.prepare(input, { log: recordedLog().log, inherited: {}, podFile: undefined });
  const { running, changes } = started([checkOf('port', (signal) => question.ask(signal))]);
  await using _ = running;
  await becoming(running, 'port', 'unhealthy');
  assert.match(running.snapshot()[0]?.reason ?? '', /ECONNREFUSED/);
  {
    await using server = await listenTcp(() => {}, '127.0.0.1', port);
    await becoming(running, 'port', 'healthy');
    assert.equal(server.port, port);
  }
  await becoming(running, 'port', 'unhealthy');
  assert.deepEqual(
    changes.map(({ from, part }) => `${from} ${part.state}`),
    ['unknown unhealthy', 'unhealthy healthy', 'healthy unhealthy'],
  );
  assert.equal(running.snapshot()[0]?.changes, 2);
});

test('a promise that never settles is unhealthy by its deadline, is not run twice, and blocks no other', async () => {
  let hung = 0;
  const ask = () => {
    hung++;
    return new Promise<never>(() => {});
  };
  const hanging = checkOf('hanging', ask, { timeout: 50 });
  const { told, check } = settable('other', healthy);
  const { running } = started([hanging, check]);
  await using _ = running;
  await becoming(running, 'hanging', 'unhealthy');
  const before = told.asked;
  await until('the other check to run five times more', async () => told.asked >= before + 5 || undefined);
  assert.equal(hung, 1);
  assert.equal(stateOf(running, 'other'), 'healthy');
  await until('its reason', async () => {
    return /no response in 50ms, and still hanging after/.test(running.snapshot()[0]?.reason ?? '') || undefined;
  });
});

test('a check that returns after its deadline is run again', async () => {
  let asked = 0;
  const late = Promise.withResolvers<CheckResult>();
  const check = checkOf('late', () => (asked++ === 0 ? late.promise : Promise.resolve(healthy)), { timeout: 50 });
  const { running } = started([check]);
  await using _ = running;
  await becoming(running, 'late', 'unhealthy');
  late.resolve(healthy);
  await becoming(running, 'late', 'healthy');
  assert.ok(asked >= 2);
});

test('the state changes after the configured number of consecutive failures, and after one success', async () => {
  const { told, check } = settable('patient', healthy, { failures: 3 });
  const { running, changes } = started([check]);
  await using _ = running;
  await becoming(running, 'patient', 'healthy');
  const answered = () => running.snapshot()[0]!.asked;
  told.verdict = unhealthy('no');
  const before = answered();
  await until('one more result', async () => answered() > before || undefined);
  assert.equal(stateOf(running, 'patient'), 'healthy');
  await becoming(running, 'patient', 'unhealthy');
  assert.ok(running.snapshot()[0]!.failed >= 3);
  told.verdict = healthy;
  await becoming(running, 'patient', 'healthy');
  assert.equal(changes.length, 3);
});

test('a change has the reason, and the duration of the previous state', async () => {
  const { told, check } = settable('api', healthy);
  const { running, changes } = started([check]);
  await using _ = running;
  await becoming(running, 'api', 'healthy');
  told.verdict = unhealthy('status 503\nand a line of its own');
  await becoming(running, 'api', 'unhealthy');
  const last = changes.at(-1);
  assert.equal(last?.part.reason, 'status 503 and a line of its own');
  assert.ok((last?.lastedMs ?? 0) > 0);
});

test('the same verdict is not a change, even with another reason', async () => {
  let n = 0;
  const { running, changes } = started([checkOf('api', () => Promise.resolve(unhealthy(`try ${++n}`)))]);
  await using _ = running;
  await until('three answers', async () => n >= 3 || undefined);
  assert.equal(changes.length, 1);
  assert.match(running.snapshot()[0]?.reason ?? '', /^try [2-9]/);
});

test('a check that throws is unhealthy as a bug, and keeps running', async () => {
  const { running, said } = started([checkOf('broken', () => Promise.reject(new TypeError('x is undefined')))]);
  await using _ = running;
  await until('a second run', async () => (running.snapshot()[0]?.asked ?? 0) >= 2 || undefined);
  assert.match(running.snapshot()[0]?.reason ?? '', /our bug, please report it: x is undefined/);
  assert.match(said(), /TypeError/);
});

test('a stale verdict is unseen, which counts as unhealthy', async () => {
  const { check } = settable('api', healthy, { period: 1000, timeout: 50 });
  let clock = 0;
  const timing = { now: () => clock, random: () => 0 };
  const { log } = recordedLog();
  await using running = startChecks([check], { signal: new AbortController().signal, log }, { timing });
  await becoming(running, 'api', 'healthy');
  clock = 3500;
  const [status] = running.snapshot();
  assert.equal(status?.state, 'unseen');
  assert.match(status?.reason ?? '', /^no verdict for 3\.\ds$/);
  assert.equal(healthOf('readiness', running.snapshot()).word, 'unhealthy');
});

test('checks do not start at the same instant', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let clock = 0;
  const began: number[] = [];
  const checks = Array.from({ length: 10 }, (_, i) =>
    checkOf(`c${i}`, () => Promise.resolve(healthy).finally(() => began.push(clock)), { period: 400 }),
  );
  const { running } = started(checks, Math.random);
  await using _ = running;
  while (began.length < 10) {
    t.mock.timers.tick(1);
    clock++;
    await new Promise(setImmediate);
  }
  assert.ok(Math.max(...began.slice(0, 10)) - Math.min(...began) > 40);
});

test('nothing runs after disposal, and pending runs are aborted', async () => {
  const signals: AbortSignal[] = [];
  const { running } = started([
    checkOf(
      'open',
      (signal) => {
        signals.push(signal);
        return once(signal, 'abort').then(() => unhealthy('interrupted'));
      },
      { period: 60_000, timeout: 50_000 },
    ),
  ]);
  await until('the check to run', async () => signals.length > 0 || undefined);
  await running[Symbol.asyncDispose]();
  assert.equal(signals[0]?.aborted, true);
  assert.equal(stateOf(running, 'open'), 'unknown');
});

for (const [role, states, word] of [
  ['readiness', ['healthy', 'healthy'], 'ok'],
  ['readiness', ['healthy', 'unknown'], 'waiting'],
  ['readiness', ['unhealthy', 'unknown'], 'unhealthy'],
  ['readiness', ['unseen'], 'unhealthy'],
  ['readiness', [], 'ok'],
  ['startup', ['unknown'], 'waiting'],
  ['liveness', ['unknown'], 'ok'],
  ['liveness', ['unknown', 'unhealthy'], 'unhealthy'],
] as const) {
  test(`${role} of ${states.join(' and ') || 'nothing'} is ${word}`, () => {
    const parts = states.map((state, i) => ({ name: `p${i}`, roles: [role] as Role[], state, since: 0 }));
    const other = { name: 'o', roles: [], state: 'unhealthy', since: 0 } as const;
    assert.deepEqual(healthOf(role, [...parts, other]), { isOk: word === 'ok', word });
  });
}
