import assert from 'node:assert/strict';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { listenHttp, type Listening } from '../support/server.ts';
import { runHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';
import { configJson, mountVersion, sidecarSite, type Site } from './kolla-sidecar-support.ts';
import { allCreated } from '../support/bulk-reply.ts';

const LINE = (n: number) => `2026-11-21 03:00:00.000 7 INFO keystone.server [-] line ${n}\n`;
const V1 = '..2026_11_21_14_00_00.1';
const V2 = '..2026_11_21_14_05_00.2';

for (const [what, sections, code, says] of [
  [
    'option of a component',
    { sidecar: { component: ['config-watch', 'log-ship'] }, 'log-ship': { url: 'ftp://x' } },
    64,
    /--url is not/,
  ],
  [
    'section of a component',
    { sidecar: { component: ['config-watch', 'waits'] }, init: { wiat: ['tcp://a:1'] } },
    65,
    /no option 'init.wiat'/,
  ],
  [
    'check',
    { sidecar: { component: ['config-watch', 'probe'] }, checks: { api: { run: 'htp x' } } },
    65,
    /checks\.api: no check 'htp'/,
  ],
  [
    'component probe without checks',
    { sidecar: { component: ['config-watch', 'probe'] } },
    65,
    /kolla-pod\.yaml: no checks: .* or set --allow-no-checks/,
  ],
  [
    'action that would stop the sidecar',
    { sidecar: { component: ['config-watch'] }, init: { watch: { 'on-change': ['exit'] } } },
    64,
    /exit would stop/,
  ],
  ['component waits without waits', { sidecar: { component: ['config-watch', 'waits'] } }, 64, /nothing to wait for/],
  [
    'component db-sync without a service',
    { sidecar: { component: ['config-watch', 'db-sync'] } },
    64,
    /give --service/,
  ],
  ['configuration without a component', {}, 64, /no component/],
] as const)
  test(`invalid ${what} is rejected before anything runs`, async () => {
    await using site = await sidecarSite('refused');
    await mountVersion(site, V1, { 'config.json': configJson(['a.conf']), 'a.conf': 'a = 1\n' });
    const watch = { ...watched(site), ...('init' in sections && 'watch' in sections.init ? sections.init.watch : {}) };
    await site.write({ ...sections, init: { ...('init' in sections ? sections.init : {}), watch } });
    const ran = await runHelper('kolla-sidecar', ['--config', join(site.path, 'kolla-pod.yaml')]);
    assert.equal(ran.code, code, ran.stderr);
    assert.match(ran.stderr, says);
    await assert.rejects(readFile(join(site.path, 'root/etc/keystone/a.conf')), /ENOENT/);
  });

test('a failing component is reported and restarted, and does not affect others', async () => {
  await using site = await sidecarSite('fails');
  await using server = await listenBulk();
  const stateDir = join(site.path, 'state');
  await writeFile(stateDir, 'a file where a directory should be');
  await appendFile(join(site.path, 'logs/keystone/keystone.log'), LINE(1));
  await mountVersion(site, V1, { 'config.json': configJson(['a.conf']), 'a.conf': 'a = 1\n' });
  await site.write({
    sidecar: { component: ['config-watch', 'log-ship'] },
    init: { watch: watched(site) },
    'log-ship': { root: join(site.path, 'logs'), url: server.url, state: stateDir },
  });
  const sidecar = await site.start();
  await using running = sidecar.running;
  const failing = await sidecar.until('a second failure', ({ components }) => (components[1]?.failures ?? 0) >= 2);
  assert.equal(failing.components[0]?.state, 'running');
  assert.match(failing.components[1]?.problem ?? '', /state/);
  assert.equal((await sidecar.get('/livez')).status, 200);
  assert.equal((await sidecar.get('/livez')).body, 'ok\n');
  assert.match(
    (await sidecar.get('/livez?verbose')).body,
    /component\/log-ship .*: (failing|running again; it had failed): /,
  );
  assert.match(
    (await sidecar.get('/metrics')).body,
    /^kolla_sidecar_component_failures_total\{component="log-ship"\} [2-9]/m,
  );
  await mountVersion(site, V2, { 'config.json': configJson(['a.conf']), 'a.conf': 'a = 2\n' });
  await sidecar.until('the other component to go on', ({ files }) => files[0]?.configMap === V2);
  await rm(stateDir);
  await server.has(1);
  await sidecar.until('it to run again', ({ components }) => components[1]?.state === 'running');
  assert.match(sidecar.log(), /"component":"log-ship"/);
  assert.equal(await running.stop(), 143);
});

test('startup is delayed until all waits are ready, and a check of the service does not block the sidecar itself', async () => {
  await using site = await sidecarSite('startup');
  const hold = join(site.path, 'ready');
  await site.write({
    sidecar: { component: ['probe', 'waits'] },
    checks: { api: { run: 'tcp 127.0.0.1:1', for: ['startup'], period: '1s' } },
    init: { wait: [`file:${hold}`] },
  });
  const sidecar = await site.start();
  await using _ = sidecar.running;
  await sidecar.until('the check to be asked', ({ checks }) => checks[0]?.state === 'unhealthy');
  assert.deepEqual(await sidecar.get('/startupz/components'), { status: 503, body: 'waiting\n' });
  assert.equal((await sidecar.get('/readyz')).status, 503);
  await writeFile(hold, '');
  await sidecar.until('the wait to be met', ({ components }) => components[1]?.state === 'done');
  assert.deepEqual(await sidecar.get('/startupz/components'), { status: 200, body: 'ok\n' });
  assert.equal((await sidecar.get('/startupz')).status, 503, 'the service itself is not up');
  assert.equal((await sidecar.get('/readyz')).status, 200);
});

test('a rejected version is reported with its ConfigMap version and reason, and the installed one with its own', async () => {
  await using site = await sidecarSite('refuses');
  await mountVersion(site, V1, { 'config.json': configJson(['a.conf', 'b.conf']), 'a.conf': 'a\n', 'b.conf': 'b\n' });
  await site.write({ sidecar: { component: ['config-watch'] }, init: { watch: watched(site) } });
  const sidecar = await site.start();
  await using _ = sidecar.running;
  const first = await sidecar.until('the first version', ({ config }) => config?.state === 'in-step');
  assert.deepEqual(
    first.files.map(({ name, configMap }) => [name, configMap]),
    [
      ['/etc/keystone/a.conf', V1],
      ['/etc/keystone/b.conf', V1],
    ],
  );
  await mountVersion(site, V2, { 'config.json': '{"command": "x", "config_files": [{"source": 7}]}' });
  const refused = await sidecar.until('the refusal', ({ config }) => config?.state === 'refused');
  assert.equal(refused.config?.configMap, V1);
  assert.equal(refused.refusals[0]?.configMap, V2);
  assert.match(refused.refusals[0]?.reason ?? '', /config_files\[0\]/);
  assert.equal(refused.files.length, 2);
  const third = '..2026_11_21_14_09_00.3';
  await mountVersion(site, third, {
    'config.json': configJson(['a.conf', 'b.conf']),
    'a.conf': 'other\n',
    'b.conf': 'b\n',
  });
  const fixed = await sidecar.until('the third version', ({ config }) => config?.configMap === third);
  assert.deepEqual(
    fixed.files.map(({ configMap }) => configMap),
    [third, V1],
  );
});

test('the component probe starts without checks if allowed, and any other component anyway', async () => {
  for (const [sections, args] of [
    [{ sidecar: { component: ['probe'] } }, ['--allow-no-checks']],
    [{ sidecar: { component: ['probe'], 'allow-no-checks': true } }, []],
    [{ sidecar: { component: ['probe'] }, probe: { serve: { 'allow-no-checks': true } } }, []],
    [{ sidecar: { component: ['config-watch'] } }, []],
    [{ sidecar: { component: ['log-ship'] } }, []],
  ] as const) {
    await using site = await sidecarSite('no-checks');
    await mountVersion(site, V1, { 'config.json': configJson(['a.conf']), 'a.conf': 'a = 1\n' });
    const logs = { to: 'stdout', root: join(site.path, 'logs'), state: join(site.path, 'state') };
    await site.write({ ...sections, init: { watch: watched(site) }, 'log-ship': logs });
    const sidecar = await site.start(args);
    await using _ = sidecar.running;
    await sidecar.until('an answer', () => true);
    assert.equal((await sidecar.get('/readyz')).status, 200, JSON.stringify(sections));
  }
});

test('reasons are visible within this Pod only: others get a status word, also one that pretends to be local', async (t) => {
  await using site = await sidecarSite('outside');
  const { port } = site;
  await site.write({
    sidecar: { component: ['probe'] },
    checks: { api: { run: 'http http://127.0.0.1:1/', period: '1s' } },
  });
  const sidecar = await site.start(['--listen', `:${port}`]);
  await using _ = sidecar.running;
  await sidecar.until('the check to be asked', ({ checks }) => checks[0]?.state === 'unhealthy');
  for (const path of ['/', '/status.json', '/events', '/checks/api', '/livez?verbose']) {
    if (path !== '/events') assert.notEqual((await sidecar.get(path)).status, 403, path);
    assert.equal((await sidecar.get(path, { host: 'evil.example' })).status, 403, path);
  }
  const own = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
  if (own === undefined) return t.diagnostic('no address but loopback here');
  for (const path of ['/', '/status.json', '/events', '/checks/api', '/livez?verbose'])
    assert.equal((await fetch(`http://${own}:${port}${path}`)).status, 403, path);
  assert.equal(await (await fetch(`http://${own}:${port}/readyz`)).text(), 'unhealthy\n');
});

test('on SIGTERM the sidecar is unready at once, ships lines written until then, and exits with code 143', async () => {
  await using site = await sidecarSite('stop');
  await using server = await listenBulk();
  const log = join(site.path, 'logs/keystone/keystone.log');
  await appendFile(log, LINE(0));
  await mountVersion(site, V1, { 'config.json': configJson(['a.conf']), 'a.conf': 'a\n' });
  await site.write({
    sidecar: { component: ['probe', 'config-watch', 'waits', 'log-ship'] },
    init: { watch: watched(site), wait: [`file:${site.path}/never`] },
    checks: { self: { run: `tcp 127.0.0.1:${site.port}`, period: '1s' } },
    'log-ship': { root: join(site.path, 'logs'), url: server.url },
  });
  const sidecar = await site.start();
  await server.has(1);
  server.hold();
  await appendFile(log, Array.from({ length: 500 }, (_, i) => LINE(i + 1)).join(''));
  process.kill(sidecar.running.pid, 'SIGTERM');
  await until('not ready', async () => {
    return (await sidecar.get('/readyz')).body === 'ending\n' || undefined;
  });
  const stopping = await sidecar.until(
    'the others to have ended',
    ({ components }) => components[2]?.state === 'stopped',
  );
  assert.deepEqual(
    stopping.components.map(({ name, state }) => `${name} ${state}`),
    ['probe running', 'config-watch stopped', 'waits stopped', 'log-ship stopping'],
  );
  assert.equal((await sidecar.get('/livez')).status, 200);
  server.release();
  assert.equal(await sidecar.running.ended, 143);
  assert.equal(server.ids.size, 501);
});

test('a log server that rejects documents makes the Pod unready only on request', async () => {
  await using server = await listenHttp((request, response) => {
    request.resume().once('end', () => {
      response.statusCode = 401;
      response.end('{}');
    });
  });
  const readinessWith = async (asked: boolean) => {
    await using site = await sidecarSite(`refused-${asked}`);
    await appendFile(join(site.path, 'logs/keystone/keystone.log'), LINE(0));
    await site.write({
      sidecar: { component: ['log-ship'], 'ready-with-logs': asked },
      'log-ship': { root: join(site.path, 'logs'), url: `http://127.0.0.1:${server.port}`, grace: '100ms' },
    });
    const sidecar = await site.start();
    await using _ = sidecar.running;
    await until('the refusal to count', async () => {
      return (await sidecar.get('/readyz/log-ship')).body === 'unhealthy\n' || undefined;
    });
    const metrics = (await sidecar.get('/metrics')).body;
    assert.match(metrics, /^kolla_log_ship_outage\{[^}]*\} 1$/m);
    assert.match(metrics, /^kolla_log_ship_file_lag_bytes\{[^}]*keystone\.log"\} \d\d+$/m);
    assert.equal((await sidecar.get('/livez')).status, 200);
    return (await sidecar.get('/readyz')).body;
  };
  assert.deepEqual(await Promise.all([readinessWith(false), readinessWith(true)]), ['ok\n', 'unhealthy\n']);
});

test('after kill -9 while shipping the next start ships the rest, without duplicates', async () => {
  await using site = await sidecarSite('killed');
  await using server = await listenBulk();
  await site.write({
    sidecar: { component: ['log-ship'] },
    'log-ship': { root: join(site.path, 'logs'), url: server.url, 'in-flight-bytes': 4_000_000 },
  });
  const first = await site.start();
  server.onRequest(2, () => first.running.child.kill('SIGKILL'));
  const lines = Array.from({ length: 20_000 }, (_, i) => LINE(i)).join('');
  await appendFile(join(site.path, 'logs/keystone/keystone.log'), lines);
  assert.equal(await first.running.ended, 137);
  assert.ok(server.ids.size < 20_000);
  const second = await site.start();
  await server.has(20_000);
  assert.equal(server.ids.size, 20_000);
  assert.equal(await second.running.stop(), 143);
});

test('db-sync blocks startup while its server is down, and exits on SIGTERM', async () => {
  await using site = await sidecarSite('dbsync');
  await site.write({ sidecar: { component: ['db-sync'], service: 'keystone' } });
  const env = {
    KOLLA_DB_SYNC_CONNECTION: 'mysql+pymysql://keystone:hidden@127.0.0.1:1/keystone',
    PATH: `${site.path}:${process.env['PATH']}`,
  };
  await writeFile(join(site.path, 'keystone-manage'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const sidecar = await site.start([], env);
  const { migration } = await sidecar.until('it to wait', (now) => now.migration?.stage === 'waiting for the server');
  assert.deepEqual([migration?.service, migration?.phase], ['keystone', 'all']);
  assert.ok((migration?.phases.length ?? 0) > 1, String(migration?.phases));
  assert.equal((await sidecar.get('/startupz')).body, 'waiting\n');
  assert.doesNotMatch((await sidecar.get('/status.json')).body + sidecar.log(), /hidden/);
  assert.equal(await sidecar.running.stop(), 143);
});

function watched(site: Site) {
  return { 'config-dir': join(site.path, 'config'), root: join(site.path, 'root'), settle: '50ms' };
}

interface Bulk extends Listening {
  readonly url: string;
  /** The IDs of all documents that were received. */
  readonly ids: ReadonlySet<string>;
  /** Resolves when this many distinct documents have arrived. */
  has(count: number): Promise<void>;
  /** Delays all responses until release(). */
  hold(): void;
  release(): void;
  /** Calls back for the nth request from now. */
  onRequest(n: number, then: () => void): void;
}

/** The bulk API of a healthy Elasticsearch. */
async function listenBulk(): Promise<Bulk> {
  const ids = new Set<string>();
  let held: (() => void)[] | undefined;
  let requests = 0;
  let [nth, then] = [0, () => {}];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    if (++requests === nth) return then();
    for (const [, id] of body.matchAll(/"_id":"([^"]+)"/g)) ids.add(id ?? '');
    if (held !== undefined) await new Promise<void>((resolve) => held?.push(resolve));
    response.setHeader('content-type', 'application/json');
    response.end(allCreated(body));
  };
  const server = await listenHttp((request, response) => void answer(request, response));
  return {
    ...server,
    url: `http://127.0.0.1:${server.port}`,
    ids,
    async has(count) {
      await until(`${count} documents`, () => Promise.resolve(ids.size >= count || undefined));
    },
    hold: () => void (held = []),
    release() {
      for (const go of held ?? []) go();
      held = undefined;
    },
    onRequest: (n, what) => void ([nth, then] = [requests + n, what]),
  };
}
