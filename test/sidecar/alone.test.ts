import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExitCode, SignalError } from '../../src/core/errors.ts';
import type { PreparedRole } from '../../src/sidecar/role.ts';
import { runComponents } from '../../src/sidecar/run.ts';
import { freePort } from '../../tools/port.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { until } from '../support/until.ts';

test('one component alone has probes, metrics and a status page, and is ended by the signal', async () => {
  const stop = new AbortController();
  const migrated = Promise.withResolvers<ExitCode>();
  const component: PreparedRole = {
    role: {
      name: 'db-sync',
      holdsStartup: true,
      stopMs: 1000,
      backoff: { minMs: 10, maxMs: 10 },
      run: () => migrated.promise,
    },
    sources: {},
  };
  const port = await freePort();
  const { log, said } = recordedLog();
  const listen = { host: '127.0.0.1', port };
  const running = runComponents(
    [component],
    { listen, statusPublic: false, hostNetwork: false },
    { signal: stop.signal, log, inherited: {} },
  );
  const ended = assert.rejects(running, SignalError);
  const get = async (path: string) => await fetch(`http://127.0.0.1:${port}${path}`);
  const word = async (path: string) => (await get(path)).text();
  await until('the server', () => get('/livez').catch(() => undefined));
  assert.deepEqual(await Promise.all(['/startupz', '/livez', '/readyz', '/startupz/roles'].map((path) => word(path))), [
    'waiting\n',
    'ok\n',
    'waiting\n',
    'waiting\n',
  ]);
  migrated.resolve(ExitCode.ok);
  await until('it to be done', async () => (await word('/startupz')) === 'ok\n' || undefined);
  assert.match(await word('/metrics'), /^kolla_sidecar_role_up\{role="db-sync"\} 1$/m);
  assert.match(await word('/status.json'), /"name":"db-sync","state":"done"/);
  stop.abort(new SignalError('SIGTERM'));
  await ended;
  assert.match(said(), /done/);
});
