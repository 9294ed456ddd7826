import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, test } from 'node:test';
import { serveProbes, type Served, type ServedOptions } from '../../../src/probe/serve/server.ts';
import type { Route } from '../../../src/net/http/router.ts';
import { get, statusOf, toldChecks } from './serve-support.ts';

async function served(
  checks = toldChecks([statusOf('api')]),
  options: Partial<ServedOptions> = {},
  more: Partial<Served> = {},
) {
  const all = { listen: { port: 0 }, statusPublic: false, hostNetwork: false, ...options };
  return await serveProbes(all, { checks: () => checks.snapshot(), ...more }, new AbortController().signal);
}

/** An address of this machine other than loopback. */
const OWN_ADDRESS = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.internal === false && each.family === 'IPv4')?.address;

describe('the status word', () => {
  test('is ok, waiting or unhealthy, depending on the checks of each probe', async () => {
    const checks = toldChecks([
      statusOf('a', { roles: ['startup'], state: 'unknown' }),
      statusOf('b', { roles: ['liveness'] }),
      statusOf('c', { roles: ['readiness'], state: 'unhealthy', reason: 'status 503 of 10.0.0.5' }),
    ]);
    await using server = await served(checks);
    const asked = ['/startupz', '/livez', '/readyz'].map((path) => get(server.port, path));
    const got = (await Promise.all(asked)).map(({ status: code, body }) => `${code} ${body}`);
    assert.deepEqual(got, ['503 waiting\n', '200 ok\n', '503 unhealthy\n']);
  });

  test("is the checks' current state, and is never waited for", async () => {
    const checks = toldChecks([statusOf('a')]);
    await using server = await served(checks);
    assert.equal((await get(server.port, '/readyz')).status, 200);
    checks.tell('a', { state: 'unseen' });
    assert.equal((await get(server.port, '/readyz')).status, 503);
  });

  test('is ending for readiness during shutdown, and unchanged for the other probes', async () => {
    await using server = await served();
    server.drain();
    assert.deepEqual((await get(server.port, '/readyz')).body, 'ending\n');
    assert.equal((await get(server.port, '/readyz')).status, 503);
    assert.equal((await get(server.port, '/livez')).status, 200);
    assert.equal((await get(server.port, '/startupz')).status, 200);
  });

  test('includes other parts that affect a probe', async () => {
    const part = { name: 'log-ship', roles: ['liveness'], state: 'unhealthy', reason: 'ended', since: 0 } as const;
    await using server = await served(undefined, {}, { others: () => [part] });
    assert.equal((await get(server.port, '/livez')).status, 503);
    assert.match(
      (await get(server.port, '/livez?verbose')).body,
      /^\[\+\] api healthy .*\n\[-\] log-ship unhealthy for .*: ended\n/,
    );
  });

  test('is left out of the response to HEAD, which has the same HTTP status', async () => {
    await using server = await served(toldChecks([statusOf('a', { state: 'unhealthy' })]));
    assert.deepEqual(await get(server.port, '/readyz', { method: 'HEAD' }), {
      status: 503,
      body: '',
      type: 'text/plain; charset=utf-8',
    });
  });
});

describe('a client within the Pod', () => {
  test('sees each check with its reason', async () => {
    const checks = toldChecks([
      statusOf('api', { reason: 'status 300' }),
      statusOf('db', { state: 'unhealthy', reason: 'connect ECONNREFUSED' }),
      statusOf('shown', { roles: [], state: 'unhealthy' }),
    ]);
    await using server = await served(checks);
    const { status: code, body } = await get(server.port, '/readyz?verbose');
    assert.equal(code, 503);
    assert.match(
      body,
      /^\[\+\] api healthy for [\d.]+m?s: status 300\n\[-\] db unhealthy for .*: connect ECONNREFUSED\nreadiness: unhealthy\n$/,
    );
    assert.match((await get(server.port, '/')).body, /shown unhealthy/);
  });

  test('requests each check by its name', async () => {
    const checks = toldChecks([statusOf('api'), statusOf('db', { state: 'unhealthy', reason: 'refused' })]);
    await using server = await served(checks);
    assert.equal((await get(server.port, '/checks/api')).status, 200);
    const db = await get(server.port, '/checks/db');
    assert.deepEqual([db.status, /refused/.test(db.body)], [503, true]);
    assert.equal((await get(server.port, '/checks/nobody')).status, 404);
    assert.equal((await get(server.port, '/checks/')).status, 404);
  });

  test('reads everything as JSON', async () => {
    await using server = await served();
    const { body, type } = await get(server.port, '/status.json');
    assert.equal(type, 'application/json');
    const parsed = JSON.parse(body) as { probes: object; checks: { name: string; subject: string }[] };
    assert.deepEqual(parsed.probes, { startup: 'ok', liveness: 'ok', readiness: 'ok' });
    assert.equal(parsed.checks[0]?.subject, 'test api');
  });

  const inside = ['/livez?verbose', '/readyz?verbose=1', '/checks/api', '/status.json', '/'];
  test('is not a page that rebinds its own name', async () => {
    await using server = await served();
    for (const path of inside) {
      const got = await get(server.port, path, { headers: { host: 'evil.example:9808' } });
      assert.deepEqual([path, got.status, /test api|healthy/.test(got.body)], [path, 403, false]);
    }
    assert.equal((await get(server.port, '/livez', { headers: { host: 'evil.example' } })).status, 200);
  });

  test(
    'is not another Pod, regardless of its headers',
    { skip: OWN_ADDRESS === undefined && 'loopback alone here' },
    async () => {
      await using server = await served();
      const headers = { host: 'localhost', 'x-forwarded-for': '127.0.0.1' };
      for (const path of inside) {
        assert.equal((await get(server.port, path, { host: OWN_ADDRESS!, headers })).status, 403, path);
      }
      for (const path of ['/livez', '/readyz', '/startupz', '/metrics'])
        assert.equal((await get(server.port, path, { host: OWN_ADDRESS! })).status, 200, path);
    },
  );

  test(
    'is every client with --status-public',
    { skip: OWN_ADDRESS === undefined && 'only loopback here' },
    async () => {
      await using server = await served(undefined, { statusPublic: true });
      assert.equal((await get(server.port, '/readyz?verbose', { host: OWN_ADDRESS! })).status, 200);
      assert.equal((await get(server.port, '/checks/api', { host: OWN_ADDRESS! })).status, 200);
    },
  );

  test('gets no reasons with --host-network, where loopback is the whole node; --status-public takes precedence', async () => {
    await using server = await served(undefined, { hostNetwork: true });
    for (const path of inside) {
      const { status, body } = await get(server.port, path);
      assert.equal(status, 403, path);
      assert.match(body, /^not shown: this pod has its node's network/, path);
    }
    for (const path of ['/livez', '/readyz', '/startupz', '/metrics'])
      assert.equal((await get(server.port, path)).status, 200, path);
    await using open = await served(undefined, { hostNetwork: true, statusPublic: true });
    assert.equal((await get(open.port, '/readyz?verbose')).status, 200);
  });
});

describe('metrics', () => {
  test('have each check by its name, and no reason', async () => {
    const checks = toldChecks([statusOf('api', { state: 'unhealthy', reason: 'status 503 of 10.0.0.5' })]);
    const families = () => [{ name: 'more', type: 'gauge', help: 'More.', samples: [{ value: 7 }] }] as const;
    await using server = await served(checks, {}, { families });
    const { body, type } = await get(server.port, '/metrics');
    assert.match(type ?? '', /version=0\.0\.4/);
    assert.doesNotMatch(body, /10\.0\.0\.5/);
    for (const line of [
      'kolla_probe_up{probe="readiness"} 0',
      'kolla_probe_check_up{check="api"} 0',
      'kolla_probe_check_duration_seconds_sum{check="api"} 0.5',
      'kolla_probe_check_duration_seconds_count{check="api"} 4',
      'kolla_probe_check_failures_total{check="api"} 1',
      'kolla_probe_check_transitions_total{check="api"} 2',
      'more 7',
    ])
      assert.ok(body.split('\n').includes(line), `${line} is not in:\n${body}`);
  });
});

test("additional routes take precedence over the server's own paths", async () => {
  const page: Route = { kind: 'inside', answer: () => ({ status: 200, body: 'a page\n', type: 'text/html' }) };
  await using server = await served(undefined, {}, { routes: { '/': page, '/more': page } });
  assert.equal((await get(server.port, '/')).body, 'a page\n');
  assert.equal((await get(server.port, '/more')).type, 'text/html');
  assert.equal((await get(server.port, '/more', { method: 'POST' })).status, 404);
});
