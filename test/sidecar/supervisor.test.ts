import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { createLog, type Log } from '../../src/core/log.ts';
import { ConfigError, SignalError } from '../../src/core/errors.ts';
import type { ComponentName } from '../../src/sidecar/options/options.ts';
import { QUICK_BACKOFF, type Component, type ComponentRun } from '../../src/sidecar/components/component.ts';
import { supervise } from '../../src/sidecar/supervisor.ts';
import { run as runProgram } from '../../tools/process.ts';
import { until } from '../support/until.ts';

const STOP = new SignalError('SIGTERM');

test('a failing component is restarted with backoff, and the others keep running undisturbed', async () => {
  const pauses: number[] = [];
  const third = Promise.withResolvers<void>();
  let tries = 0;
  const failing = component('waits', async ({ signal }) => {
    if (++tries <= 3) throw new ConfigError('no such file yet');
    third.resolve();
    return await untilStopped(signal);
  });
  const other = component('log-ship', ({ signal }) => untilStopped(signal));
  using supervisor = supervise([failing, other], silent().log, { ...timing(), pause: (ms) => noted(pauses, ms) });
  supervisor.start();
  await third.promise;
  assert.equal(pauses.length, 3);
  for (const [i, ms] of pauses.entries()) assert.ok(ms >= 500 * 2 ** i && ms <= 1000 * 2 ** i, `pause ${i}: ${ms}`);
  const [waits, ship] = supervisor.status();
  assert.deepEqual([waits?.state, waits?.starts, waits?.failures], ['running', 4, 3]);
  assert.equal(waits?.problem, 'no such file yet');
  assert.deepEqual([ship?.state, ship?.starts, ship?.failures], ['running', 1, 0]);
  await supervisor.stop(STOP);
});

test('backoff is reset after a component ran for a minute', async () => {
  const pauses: number[] = [];
  const clock = { ms: 0 };
  const over = Promise.withResolvers<void>();
  let tries = 0;
  const failing = component('log-ship', ({ signal }) => {
    tries++;
    if (tries === 5) return (over.resolve(), untilStopped(signal));
    if (tries === 4) clock.ms += 61_000;
    return Promise.reject(new ConfigError('again'));
  });
  using supervisor = supervise([failing], silent().log, { now: () => clock.ms, pause: (ms) => noted(pauses, ms) });
  supervisor.start();
  await over.promise;
  assert.ok(pauses[2]! >= 2000 && pauses[3]! <= 1000, String(pauses));
  await supervisor.stop(STOP);
});

test('a component that exits with code 0 is done, and one with another code is restarted', async () => {
  const over = Promise.withResolvers<void>();
  const codes = [7, 0];
  const waits = component('waits', () => Promise.resolve(0));
  const migration = component('db-sync', () => {
    const code = codes.shift() ?? 0;
    if (codes.length === 0) setImmediate(over.resolve);
    return Promise.resolve(code);
  });
  using supervisor = supervise([waits, migration], silent().log, timing());
  supervisor.start();
  await over.promise;
  assert.deepEqual(
    supervisor.status().map(({ state, failures, starts }) => [state, failures, starts]),
    [
      ['done', 0, 1],
      ['done', 1, 2],
    ],
  );
});

for (const [what, fail] of [
  ['a timer', (error) => void setTimeout(() => thrown(error), 1)],
  ['an emitter without a listener', (error) => void setImmediate(() => new EventEmitter().emit('error', error))],
] as [string, (error: Error) => void][])
  test(`an error thrown by ${what} of a component ends only that component`, async () => {
    const said = silent();
    const again = Promise.withResolvers<void>();
    let tries = 0;
    const broken = component('config-watch', async ({ signal }) => {
      tries++;
      if (tries === 1) fail(new TypeError('boom'));
      else again.resolve();
      return await untilStopped(signal);
    });
    const other = component('log-ship', ({ signal }) => untilStopped(signal));
    using supervisor = supervise([broken, other], said.log, timing());
    supervisor.start();
    await again.promise;
    const [first, second] = supervisor.status();
    assert.equal(first?.failures, 1);
    assert.match(first?.problem ?? '', /our bug, please report it: boom/);
    assert.deepEqual([second?.state, second?.failures], ['running', 0]);
    assert.match(said.text(), /"component":"config-watch".*"stack":"TypeError: boom/);
    await supervisor.stop(STOP);
  });

// node:test would catch such a rejection, so this needs a separate process.
test('a rejected unawaited promise of a component is charged to it; any other ends the process', async () => {
  const script = `
    import { supervise } from './src/sidecar/supervisor.ts';
    const log = { info() {}, error: (text) => console.log(text), with: () => log };
    const run = ({ signal }) => new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      void Promise.reject(new TypeError('boom'));
    });
    const component = { name: 'waits', holdsStartup: false, stopMs: 1000, backoff: { minMs: 1e5, maxMs: 1e5 }, run };
    const supervisor = supervise([component], log);
    process.on('uncaughtException', (error) => { console.log('ends with', error.message); process.exit(70); });
    supervisor.start();
    setTimeout(() => { console.log(supervisor.status()[0].state); void Promise.reject(new Error('nobody')); }, 20);`;
  const { code, stdout, stderr } = await runProgram(process.execPath, ['--input-type=module', '-e', script]);
  assert.equal(code, 70, stderr);
  assert.match(stdout, /^failed, .*boom\nfailing\nends with nobody\n$/);
});

test('a late error of an earlier attempt is logged and does not end the current one', async () => {
  const said = silent();
  const again = Promise.withResolvers<void>();
  let tries = 0;
  const broken = component('log-ship', async ({ signal }) => {
    if (++tries === 1) {
      setTimeout(() => thrown(new Error('late')), 20);
      throw new ConfigError('first');
    }
    again.resolve();
    return await untilStopped(signal);
  });
  using supervisor = supervise([broken], said.log, timing());
  supervisor.start();
  await again.promise;
  await until('the late error to be logged', () => said.text().includes('after its end') || undefined);
  assert.equal(supervisor.status()[0]?.failures, 1);
  assert.match(said.text(), /after its end: our bug.*late/);
  await supervisor.stop(STOP);
});

test('a component that does not stop after its failure is stuck, and not started again', async () => {
  const never = component('waits', () => {
    setImmediate(() => thrown(new Error('boom')));
    return new Promise<number>(() => {});
  });
  using supervisor = supervise([{ ...never, stopMs: 20 }], silent().log, timing());
  supervisor.start();
  await until('the component to be stuck', () => supervisor.status()[0]?.state === 'stuck' || undefined);
  assert.equal(supervisor.status()[0]?.starts, 1);
});

test('a stop ends configuration, then waits and migration, then shipping, then checks, one group at a time', async () => {
  const ends: string[] = [];
  const resident = (name: ComponentName) =>
    component(name, async ({ signal }) => {
      await untilStopped(signal).catch(() => {});
      await new Promise((resolve) => setImmediate(resolve));
      ends.push(name);
      throw signal.reason;
    });
  const names: ComponentName[] = ['log-ship', 'probe', 'db-sync', 'config-watch'];
  using supervisor = supervise(names.map(resident), silent().log, timing());
  supervisor.start();
  await supervisor.stop(STOP);
  assert.deepEqual(ends, ['config-watch', 'db-sync', 'log-ship', 'probe']);
  assert.ok(supervisor.status().every(({ state, failures }) => state === 'stopped' && failures === 0));
});

test('a component that does not stop in time does not reduce the time of later ones', async () => {
  const said = silent();
  const ends: string[] = [];
  const deaf = component('db-sync', () => new Promise<number>(() => {}));
  const ship = component('log-ship', ({ signal }) => untilStopped(signal).finally(() => ends.push('log-ship')));
  using supervisor = supervise([{ ...deaf, stopMs: 20 }, ship], said.log, timing());
  supervisor.start();
  await supervisor.stop(STOP);
  assert.deepEqual(ends, ['log-ship']);
  assert.match(said.text(), /did not stop within 20ms: abandoned/);
});

test('a stop ends the pause before the next attempt at once', async () => {
  const pausing = Promise.withResolvers<void>();
  const failing = component('waits', () => Promise.reject(new ConfigError('no')));
  using supervisor = supervise([failing], silent().log, {
    now: () => 0,
    async pause(_, signal) {
      pausing.resolve();
      await once(signal, 'abort');
    },
  });
  supervisor.start();
  await pausing.promise;
  await supervisor.stop(STOP);
  assert.equal(supervisor.status()[0]?.state, 'stopped');
});

function component(name: ComponentName, run: (run: ComponentRun) => Promise<number>): Component {
  return { name, holdsStartup: false, stopMs: 10_000, backoff: QUICK_BACKOFF, run };
}

async function untilStopped(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

function thrown(error: Error): never {
  throw error;
}

function noted(pauses: number[], ms: number): Promise<void> {
  pauses.push(ms);
  return Promise.resolve();
}

function timing() {
  return { now: () => performance.now(), pause: () => Promise.resolve() };
}

function silent(): { log: Log; text: () => string } {
  let text = '';
  const terminal = { isTerminal: false, color: false, width: 80 };
  const write = (line: string) => void (text += line);
  return {
    log: createLog({ helper: 'test', level: 'debug', format: 'json', terminal, write, now: () => new Date(0) }),
    text: () => text,
  };
}
