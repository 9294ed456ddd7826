import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { ExitCode, SignalError, UnavailableError } from '../../src/core/errors.ts';
import { runAlone } from '../../src/sidecar/alone.ts';
import type { PreparedComponent, ComponentRun } from '../../src/sidecar/components/component.ts';
import { freePort } from '../../tools/port.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { until } from '../support/until.ts';

/** One component, and the responses on its port. */
async function alone(
  t: TestContext,
  whenDone: 'end' | 'stay',
  run: (run: ComponentRun) => Promise<ExitCode>,
  more: Partial<PreparedComponent> = {},
) {
  const stop = new AbortController();
  t.after(() => stop.abort(new SignalError('SIGTERM')));
  const component: PreparedComponent = {
    component: { name: 'db-sync', holdsStartup: true, stopMs: 1000, backoff: { minMs: 10, maxMs: 10 }, run },
    sources: {},
    ...more,
  };
  const port = await freePort();
  const at = { listen: { host: '127.0.0.1', port }, statusPublic: false, hostNetwork: false };
  const context = { signal: stop.signal, log: recordedLog().log, inherited: {} };
  const ended = runAlone(component, whenDone, at, context);
  const get = async (path: string) => await fetch(`http://127.0.0.1:${port}${path}`);
  return { ended, stop, get, word: async (path: string) => (await get(path)).text() };
}

test('a single component has probes, metrics and a status page, and stays when done until the signal', async (t) => {
  const migrated = Promise.withResolvers<ExitCode>();
  const { ended, stop, get, word } = await alone(t, 'stay', () => migrated.promise);
  const over = assert.rejects(ended, SignalError);
  await until('the server', () => get('/livez').catch(() => undefined));
  assert.deepEqual(
    await Promise.all(['/startupz', '/livez', '/readyz', '/startupz/components'].map((path) => word(path))),
    ['waiting\n', 'ok\n', 'waiting\n', 'waiting\n'],
  );
  migrated.resolve(ExitCode.ok);
  await until('it to be done', async () => (await word('/startupz')) === 'ok\n' || undefined);
  assert.match(await word('/metrics'), /^kolla_sidecar_component_up\{component="db-sync"\} 1$/m);
  assert.match(await word('/status.json'), /"name":"db-sync","state":"done"/);
  stop.abort(new SignalError('SIGTERM'));
  await over;
});

test("a single component's failure is not retried: its exit code or error ends the process", async (t) => {
  let starts = 0;
  const failed = await alone(t, 'stay', () => Promise.resolve((starts++, 42)));
  assert.equal(await failed.ended, 42);
  assert.equal(starts, 1);
  const thrown = await alone(t, 'stay', () => Promise.reject(new UnavailableError('no server')));
  await assert.rejects(thrown.ended, /no server/);
});

test('a component without a reason to stay exits when done', async (t) => {
  const { ended } = await alone(t, 'end', () => Promise.resolve(ExitCode.ok));
  assert.equal(await ended, ExitCode.ok);
});

test('after the signal a single component is unready, is served until it has finished, and its exit code is returned', async (t) => {
  const shipped = Promise.withResolvers<ExitCode>();
  const { ended, stop, get, word } = await alone(t, 'end', async ({ signal }) => {
    await once(signal, 'abort');
    return await shipped.promise;
  });
  await until('the server', () => get('/livez').catch(() => undefined));
  stop.abort(new SignalError('SIGTERM'));
  assert.equal(await word('/readyz'), 'ending\n');
  assert.equal(await word('/livez'), 'ok\n');
  shipped.resolve(ExitCode.ok);
  assert.equal(await ended, ExitCode.ok);
});

test("a path served by a single component takes precedence over the sidecar's", async (t) => {
  const never = Promise.withResolvers<ExitCode>();
  const routes = {
    '/startupz': { kind: 'public', answer: () => ({ status: 503 as const, body: 'migrating\n' }) },
  } as const;
  const { ended, stop, get, word } = await alone(t, 'stay', () => never.promise, { routes });
  await until('the server', () => get('/livez').catch(() => undefined));
  assert.equal(await word('/startupz'), 'migrating\n');
  stop.abort(new SignalError('SIGTERM'));
  never.reject(stop.signal.reason as Error);
  await assert.rejects(ended, SignalError);
});

test('a component does not start in a Pod in which it must not run', async (t) => {
  let ran = false;
  const refusing = { requireSafe: () => Promise.reject(new UnavailableError('no such Pod')) };
  const { ended } = await alone(t, 'stay', () => Promise.resolve(((ran = true), ExitCode.ok)), refusing);
  await assert.rejects(ended, /no such Pod/);
  assert.equal(ran, false);
});
