/** The migration of kolla-sidecar, which runs in kolla-core, as a process of kolla-pod: what it does there, and what stays. */
import assert from 'node:assert/strict';
import { appendFile, readFile, readlink } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { descendantsOf } from '../../src/process/procfs/descendants.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { sharedMariadb, type SharedMariadb } from '../servers/index.ts';
import { allCreated } from '../support/bulk-reply.ts';
import { logLines, runHelper } from '../support/helper.ts';
import { listenHttp } from '../support/server.ts';
import { until } from '../support/until.ts';
import { gateFile, runsIn, siteOn, type Site as Database } from './kolla-db-sync-support.ts';
import { sidecarSite, type Sidecar, type Site } from './kolla-sidecar-support.ts';

const JOURNAL = fileURLToPath(new URL('fixtures/journal.ts', import.meta.url));
const SECRET = 'secret-of-keystone';

/** The service `own`, whose migration waits for this file, and exits with that code. */
function services(gate: string | number, code = 0) {
  const argv = [process.execPath, JOURNAL, String(gate), String(code)];
  const databases = [{ name: 'own', url: [{ section: 'database', key: 'connection' }] }];
  return { own: { configFile: '/etc/own.conf', databases, migration: { phases: { all: [{ argv }] } } } };
}

const DB_SYNC = { sidecar: { component: ['db-sync'], service: 'own' }, 'db-sync': { 'admin-user': 'root' } };

/** The command lines of a process's descendants. */
async function commandsBelow(pid: number): Promise<string[]> {
  const lines = descendantsOf(pid).map((one) => readFile(`/proc/${one}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(lines)).map((line) => line.replaceAll('\0', ' '));
}

/** The process of kolla-pod. */
async function migratorOf({ running }: Sidecar): Promise<number> {
  return await until('the process of kolla-pod', async () => {
    for (const pid of descendantsOf(running.pid)) {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (/kolla-db-sync\0own\0/.test(line)) return pid;
    }
    return undefined;
  });
}

const isIn = (stage: string) => (now: Awaited<ReturnType<Sidecar['status']>>) => now.migration?.stage === stage;

describe('db-sync in kolla-sidecar', { skip: (await canRunMariadb()) ?? false, concurrency: 3 }, () => {
  let mariadb: SharedMariadb;
  before(async () => (mariadb = await sharedMariadb()));
  after(() => mariadb[Symbol.asyncDispose]());

  /** A sidecar whose migration waits at the gate. */
  async function migrating(site: Site, database: Database, gate: string, options: object = {}): Promise<Sidecar> {
    await site.write({ ...DB_SYNC, 'db-sync': { ...DB_SYNC['db-sync'], ...options }, services: services(gate) });
    const sidecar = await site.start([], database.env);
    await sidecar.until('the migration', isIn('migrating'));
    // The stage is reported before the command is started.
    await until('its command', async () => (await database.journal().catch(() => [])).length > 0 || undefined);
    return sidecar;
  }

  test('with probe and log-ship: nothing of Node is left when the schema is right', async () => {
    await using site = await sidecarSite('whole');
    await using gate = await gateFile();
    let shipped = 0;
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const body = await text(request);
      shipped += body.match(/"_id"/g)?.length ?? 0;
      response.setHeader('content-type', 'application/json');
      response.end(allCreated(body));
    };
    await using server = await listenHttp((request, response) => void answer(request, response));
    const database = siteOn(mariadb);
    const log = join(site.path, 'logs/keystone/keystone.log');
    await appendFile(log, '2026-11-21 03:00:00.000 7 INFO keystone.server [-] line 1\n');
    await site.write({
      ...DB_SYNC,
      sidecar: { component: ['probe', 'db-sync', 'log-ship'], service: 'own' },
      services: services(gate.path),
      checks: { self: { run: `tcp 127.0.0.1:${site.port}`, period: '1s' } },
      'log-ship': { root: join(site.path, 'logs'), url: `http://127.0.0.1:${server.port}` },
    });
    const sidecar = await site.start([], database.env);
    await using running = sidecar.running;
    await sidecar.until('the migration', isIn('migrating'));
    await until('a line', () => shipped > 0 || undefined);
    assert.deepEqual(await sidecar.get('/startupz/components'), { status: 503, body: 'waiting\n' });
    const below = await commandsBelow(running.pid);
    assert.ok(
      below.some((line) => line.includes('kolla-db-sync own ') && line.includes('--admin-user=root')),
      below.join('\n'),
    );
    for (const secret of [SECRET, mariadb.rootPassword]) assert.ok(!below.join('\n').includes(secret));
    await gate.open();
    const done = await sidecar.until('its end', ({ components }) => components[1]?.state === 'done');
    assert.deepEqual(
      done.migration?.stages.map(({ stage }) => stage),
      ['waiting for the server', 'waiting for the server', 'waiting for the lock', 'migrating', 'ok'],
    );
    assert.deepEqual(await sidecar.get('/startupz/components'), { status: 200, body: 'ok\n' });
    assert.match((await sidecar.get('/metrics')).body, /^kolla_sidecar_component_up\{component="db-sync"\} 1$/m);
    assert.deepEqual(await commandsBelow(running.pid), []);
    assert.match(await readlink(`/proc/${running.pid}/exe`), /\/kolla-core$/);
    const lines = logLines(sidecar.log()).filter(({ component }) => component === 'db-sync');
    assert.ok(
      lines.some(({ msg }) => msg.includes('started')),
      sidecar.log(),
    );
    assert.doesNotMatch(sidecar.log(), new RegExp(SECRET));
    await appendFile(log, '2026-11-21 03:00:01.000 7 INFO keystone.server [-] line 2\n');
    await until('another line', () => shipped > 1 || undefined);
    assert.equal(await running.stop(), 143);
  });

  test('after kill -9 of the process its command is killed too, and it is started again with backoff', async () => {
    await using site = await sidecarSite('child-killed');
    await using gate = await gateFile();
    const database = siteOn(mariadb);
    const sidecar = await migrating(site, database, gate.path);
    await using running = sidecar.running;
    process.kill(await migratorOf(sidecar), 'SIGKILL');
    const failing = await sidecar.until('the failure', ({ components }) => components[0]?.state === 'failing');
    const [component] = failing.components;
    assert.equal(component?.problem, 'kolla-pod, which runs the migration, was ended by SIGKILL');
    const restMs = (component?.retryAt ?? 0) - (component?.since ?? 0);
    assert.ok(restMs > 5000 && restMs <= 10_000, String(restMs));
    assert.equal(failing.migration?.stage, 'failed');
    assert.deepEqual(await commandsBelow(running.pid), []);
    await gate.open();
    await sidecar.until('its end', ({ components }) => components[0]?.state === 'done');
    // The first run has no end; runsIn() throws if the second one began before the first was over.
    assert.deepEqual(
      runsIn(await database.journal()).map(({ isWhole }) => isWhole),
      [false, true],
    );
    assert.equal(await running.stop(), 143);
  });

  test('on SIGTERM the command may end within the grace period, and its result is recorded', async () => {
    await using site = await sidecarSite('terminated');
    await using gate = await gateFile();
    const database = siteOn(mariadb);
    const sidecar = await migrating(site, database, gate.path);
    await using running = sidecar.running;
    process.kill(running.pid, 'SIGTERM');
    await until('the word to the command', () => sidecar.log().includes('the command has 15s to exit') || undefined);
    await gate.open();
    assert.equal(await running.ended, 143);
    assert.equal((await database.fence())?.['state'], 'done');
    assert.deepEqual(
      runsIn(await database.journal()).map(({ isWhole }) => isWhole),
      [true],
    );
  });

  test('after kill -9 of the sidecar the process ends, and its command within the grace period', async () => {
    await using site = await sidecarSite('killed-above');
    await using gate = await gateFile();
    const database = siteOn(mariadb);
    const sidecar = await migrating(site, database, gate.path, { grace: '100ms' });
    await using running = sidecar.running;
    const below = descendantsOf(running.pid);
    assert.ok(below.length >= 3, String(below));
    running.child.kill('SIGKILL');
    assert.equal(await running.ended, 137);
    const isLeft = (pid: number) =>
      readFile(`/proc/${pid}/stat`, 'utf8').then(
        (stat) => !/\) Z /.test(stat),
        () => false,
      );
    await until('the end of all', async (saw) => {
      const left = await Promise.all(below.map(isLeft));
      saw(left);
      return left.every((one) => !one) || undefined;
    });
    assert.equal((await database.fence())?.['state'], 'interrupted', sidecar.log());
  });

  test('the error of the migration is logged once, and is the problem of the component', async () => {
    await using site = await sidecarSite('fails');
    await site.write({ ...DB_SYNC, services: services(0, 3) });
    const sidecar = await site.start([], siteOn(mariadb).env);
    await using running = sidecar.running;
    const failing = await sidecar.until('the failure', ({ components }) => components[0]?.state === 'failing');
    const problem = failing.components[0]?.problem ?? '';
    assert.match(problem, /^the migration failed: .* exited with code 3/);
    const errors = logLines(sidecar.log()).filter(({ level }) => level === 'error');
    assert.deepEqual(
      errors.map(({ msg, component }) => [msg.endsWith(problem), component]),
      [[true, 'db-sync']],
      sidecar.log(),
    );
    assert.equal((await sidecar.get('/startupz/components')).body, 'unhealthy\n');
    assert.equal(await running.stop(), 143);
  });
});

for (const [what, sections, env, code, says] of [
  ['option', { 'db-sync': { phase: 'expnd' } }, {}, 65, /db-sync\.phase: 'expnd' is not one of/],
  ['variable', {}, { KOLLA_DB_SYNC_GRACE: '5' }, 64, /KOLLA_DB_SYNC_GRACE: '5' has no unit/],
  ['key', { 'db-sync': { relase: 'r1' } }, {}, 65, /no option 'db-sync\.relase'/],
  ['service', { sidecar: { ...DB_SYNC.sidecar, service: 'keystoen' } }, {}, 64, /no service 'keystoen'/],
  ['phase', { 'db-sync': { phase: 'contract' } }, {}, 64, /own is migrated in one step/],
  ['section', { services: { own: { databases: [] } } }, {}, 65, /services\.own/],
] as const)
  test(`an invalid ${what} is rejected before anything runs`, async () => {
    await using site = await sidecarSite('refused');
    await site.write({ ...DB_SYNC, services: services(0), ...sections });
    const ran = await runHelper('kolla-sidecar', ['--config', join(site.path, 'kolla-pod.yaml')], { env });
    assert.equal(ran.code, code, ran.stderr);
    assert.match(ran.stderr, says);
    assert.doesNotMatch(ran.stderr, /answered on/);
  });
