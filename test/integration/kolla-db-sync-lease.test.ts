/**
 * kolla-db-sync's Lease on a real API server, and its row on a real database server. What the migrations write to the
 * database is judged.
 */
import assert from 'node:assert/strict';
import { once, type EventEmitter } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createConnection } from 'mysql2/promise';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { passOn } from '../cluster/kubernetes/proxy.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { logLines, runHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';
import {
  leaseSite,
  mayTakeLease,
  said,
  startWorld,
  type LeaseSite,
  type World,
} from './kolla-db-sync-lease-support.ts';
import { CALM, gateFile, migration, runsIn, type Begun } from './kolla-db-sync-support.ts';
import { startInit } from './waiting.ts';

const skip = (await canRunControlPlane()) ?? (await canRunMariadb()) ?? false;

describe('the Lease of kolla-db-sync', { skip, concurrency: 3 }, () => {
  let world: World;
  const sites = new AsyncDisposableStack();
  const newSite = (isAllowed?: boolean): Promise<LeaseSite> => leaseSite(world, sites, isAllowed);
  before(async () => {
    world = await startWorld();
  });
  after(async () => {
    await sites.disposeAsync();
    await world?.[Symbol.asyncDispose]();
  });

  test('is held and published during a migration, and released with its result', async () => {
    const site = await newSite();
    await using gate = await gateFile();
    await using begun = await site.begin(['--release', 'r1', ...migration(gate.path)]);
    await begun.saying(/started/);
    const during = await site.lease();
    const { holder, token } = (await site.fence()) ?? {};
    assert.equal(during?.spec?.holderIdentity, holder);
    const same = { phase: 'command', release: 'r1', token: String(token), format: '1' };
    assert.deepEqual(said(during), { ...same, state: 'running' });
    await gate.open();
    assert.equal(await begun.code, 0);
    const ended = await site.lease();
    assert.equal(ended?.spec?.holderIdentity ?? '', '');
    const { ended: when, ...rest } = said(ended);
    assert.ok(Date.parse(when ?? '') > 0);
    assert.deepEqual(rest, { ...same, state: 'done', 'ready-for': 'r1' });
  });

  test('lets kolla-probe db-sync report whether the schema is ready', async () => {
    const site = await newSite();
    const probed = async (...more: string[]) => {
      const words = ['db-sync', 'keystone', '--timeout', '1h', ...more];
      const { code, stderr } = await runHelper('kolla-probe', words, { env: { KUBECONFIG: site.kubeconfig } });
      return { code, msg: logLines(stderr)[0]?.msg ?? stderr };
    };
    assert.match((await probed()).msg, /no migration by kolla-db-sync yet/);
    assert.equal((await site.sync(['--release', 'r1', ...migration(0)])).code, 0);
    assert.deepEqual(await probed('--release', 'r1'), { code: 0, msg: '' });
    const other = await probed('--release', 'r2');
    assert.equal(other.code, 1);
    assert.match(
      other.msg,
      /Lease kolla-db-sync-keystone: ready for release r1, not r2; done \(command\) of release r1$/,
    );
  });

  test('is watched by waiting runs, which send the database no query meanwhile, and find the work done', async () => {
    const site = await newSite();
    await using gate = await gateFile();
    await using first = await site.begin(['--release', 'r1', ...migration(gate.path)]);
    await first.saying(/started/);
    const sessions = async () =>
      (
        await world.mariadb.query(`SELECT ID FROM information_schema.PROCESSLIST WHERE USER LIKE '${site.database}%'`)
      ).map(({ ID: id }) => id as number);
    const open = await sessions();
    assert.ok(open.length > 0);
    const others: Begun[] = [];
    await using stack = new AsyncDisposableStack();
    for (let i = 0; i < 3; i++) others.push(stack.use(await site.begin(['--release', 'r1', ...migration(gate.path)])));
    for (const other of others) {
      await other.saying(
        /waiting: .* has been migrating to release r1 \(command\) since .*, Lease site-\d+\/kolla-db-sync-keystone; free when not renewed for 1m/,
      );
    }
    // A session of a login that has ended may be listed for a moment.
    await until('the waiting runs to have no session', async (saw) => {
      const theirs = (await sessions()).filter((id) => !open.includes(id));
      saw(theirs);
      return theirs.length === 0 || undefined;
    });
    await gate.open();
    assert.deepEqual(await Promise.all([first, ...others].map(({ code }) => code)), [0, 0, 0, 0]);
    for (const other of others) await other.saying(/nothing to do: .* has finished it meanwhile/);
    assert.equal(runsIn(await site.journal()).length, 1);
    assert.equal(said(await site.lease())['state'], 'done');
  });

  test('if no Lease exists yet, only one of six concurrent runs migrates', async () => {
    const site = await newSite();
    await using gate = await gateFile();
    await using stack = new AsyncDisposableStack();
    const six = await Promise.all(Array.from({ length: 6 }, () => site.begin(migration(gate.path))));
    for (const each of six) stack.use(each);
    await Promise.all(six.map((each) => each.saying(/started|waiting: /)));
    await gate.open();
    assert.deepEqual(await Promise.all(six.map(({ code }) => code)), [0, 0, 0, 0, 0, 0]);
    assert.equal(runsIn(await site.journal()).length, 1);
  });

  test('is taken over from a killed run, with a later token', async () => {
    const site = await newSite();
    await using first = await site.begin([...CALM, ...migration(60_000)]);
    await first.saying(/started/);
    const then = await site.lease();
    await using second = await site.begin([...CALM, ...migration(0)]);
    await second.saying(/waiting/);
    process.kill(first.running.pid, 'SIGKILL');
    assert.equal(await second.code, 0);
    assert.deepEqual(
      runsIn(await site.journal()).map((run) => run.isWhole),
      [false, true],
    );
    const now = await site.lease();
    assert.equal(now?.spec?.leaseTransitions, (then?.spec?.leaseTransitions ?? 0) + 1);
    assert.ok(Number(said(now)['token']) > Number(said(then)['token']));
  });

  test('a frozen run keeps the lock on its server only for its lease, and thawed it writes nothing', async () => {
    const site = await newSite();
    await using first = await site.begin([...CALM, ...migration(60_000)]);
    await first.saying(/started/);
    await using second = await site.begin([...CALM, '--release', 'next', ...migration(0)]);
    await second.saying(/waiting/);
    process.kill(first.running.pid, 'SIGSTOP');
    assert.equal(await second.code, 0, second.said());
    assert.match(second.said(), /session \d+, which kept the lock after its lease had expired/);
    const fence = await site.fence();
    process.kill(first.running.pid, 'SIGCONT');
    assert.equal(await first.code, 69);
    assert.deepEqual(await site.fence(), fence);
    assert.deepEqual(
      runsIn(await site.journal()).map((run) => run.isWhole),
      [false, true],
    );
  });

  test('a frozen run whose successor has exited, and which only the lock reveals, writes nothing either', async () => {
    const site = await newSite();
    const first = await site.sync([...CALM, '--release', 'one', ...migration(0)]);
    assert.equal(first.code, 0, first.stderr);
    const { host, port } = world.mariadb;
    const { database, password } = site;
    const frozen = await createConnection({ host, port, user: database, password, database });
    try {
      const ended = once(frozen as unknown as EventEmitter, 'error');
      await frozen.query('SELECT GET_LOCK(?, 0)', [`kolla-db-sync:${database}`]);
      const next = await site.sync([...CALM, '--release', 'two', ...migration(0)]);
      assert.equal(next.code, 0, next.stderr);
      assert.match(next.stderr, /session \d+, which kept the lock after its lease had expired/);
      await ended;
    } finally {
      frozen.destroy();
    }
  });

  test('when the API server is down the holder stops its command; waiters continue when it is back', async () => {
    const site = await newSite();
    await using first = await site.begin([...CALM, ...migration(60_000)], { KUBECONFIG: site.proxied });
    await first.saying(/started/);
    await using second = await site.begin([...CALM, ...migration(0)], { KUBECONFIG: site.proxied });
    await second.saying(/waiting: /);
    site.proxy.serve = async (_, response) => void response.destroy();
    site.proxy.cut();
    assert.equal(await first.code, 69);
    assert.match(
      first.said(),
      /stopping the command: the lock was lost: the API server has not confirmed Lease \S+ for 10s: /,
    );
    await second.saying(/waiting for the API server at https/);
    assert.equal((await site.fence())?.['state'], 'lost');
    site.proxy.serve = passOn;
    assert.equal(await second.code, 0);
    assert.deepEqual(
      runsIn(await site.journal()).map((run) => run.isWhole),
      [false, true],
    );
  });

  test('a short stall of the API server has no effect', async () => {
    const site = await newSite();
    await using gate = await gateFile();
    await using begun = await site.begin(migration(gate.path), { KUBECONFIG: site.proxied });
    await begun.saying(/started/);
    const held = Promise.withResolvers<void>();
    site.proxy.serve = async (request, response, forward) => {
      held.resolve();
      site.proxy.serve = passOn;
      await new Promise((resolve) => setTimeout(resolve, 500));
      await passOn(request, response, forward);
    };
    await held.promise;
    await gate.open();
    assert.equal(await begun.code, 0);
    assert.equal(said(await site.lease())['state'], 'done');
  });

  test("an acquisition with a lost response is recognized by the holder's name", async () => {
    const site = await newSite();
    let swallowed = 0;
    site.proxy.serve = async (request, response, forward) => {
      if (request.method !== 'POST' || swallowed > 0) return await passOn(request, response, forward);
      const answer = await forward();
      swallowed = answer.statusCode ?? 0;
      response.destroy();
    };
    const { code, stderr } = await site.sync(migration(0), { KUBECONFIG: site.proxied });
    assert.equal(swallowed, 201);
    assert.equal(code, 0, stderr);
    assert.equal((await site.lease())?.spec?.leaseTransitions, 1);
  });

  test('a Lease deleted by another client is lost, and the successor starts after the command has exited', async () => {
    const site = await newSite();
    await using first = await site.begin([...CALM, ...migration(60_000)]);
    await first.saying(/started/);
    await using second = await site.begin([...CALM, ...migration(0)]);
    await second.saying(/waiting/);
    await site.kubectl('delete', 'lease', 'kolla-db-sync-keystone');
    assert.equal(await first.code, 69);
    assert.match(first.said(), /the lock was lost: .*(was deleted|has taken)/);
    assert.equal(await second.code, 0);
    assert.deepEqual(
      runsIn(await site.journal()).map((run) => run.isWhole),
      [false, true],
    );
  });

  test('a client that keeps writing to it does not take it from the holder', async () => {
    const site = await newSite();
    await using gate = await gateFile();
    await using begun = await site.begin([...CALM, ...migration(gate.path)]);
    await begun.saying(/started/);
    const first = await site.lease();
    for (let i = 0; i < 12; i++)
      await site.kubectl('annotate', '--overwrite', 'lease', 'kolla-db-sync-keystone', `by=${i}`);
    await site.leaseThat('be renewed', ({ spec }) => spec?.renewTime !== first?.spec?.renewTime);
    await gate.open();
    assert.equal(await begun.code, 0, begun.said());
    assert.equal((await site.lease())?.metadata.annotations?.['by'], '11');
  });

  test('without permission nothing is started, and the error has the Role to apply', async () => {
    const site = await newSite(false);
    const refused = await site.sync(migration(0));
    assert.equal(refused.code, 77, refused.stderr);
    const { msg } = JSON.parse(refused.stderr.trim().split('\n').at(-1) ?? '') as { msg: string };
    assert.match(
      msg,
      /system:serviceaccount:site-\d+:migrator may not get, watch, update, create Lease kolla-db-sync-keystone in namespace site-\d+.*--lock row/,
    );
    const row = await site.sync(['--lock', 'row', ...migration(0)]);
    assert.equal(row.code, 0, row.stderr);
    assert.match(row.stderr, /--lock row: the row in the database is the only lock/);
    await world.cluster.kubectl(['apply', '--filename=-'], msg.slice(msg.indexOf('apiVersion')));
    await mayTakeLease(world.kube, site.namespace);
    const { code, stderr } = await site.sync(migration(0));
    assert.equal(code, 0, stderr);
  });

  test('a run with only the row and one with the Lease exclude each other', async () => {
    const site = await newSite();
    await using gate = await gateFile();
    await using first = await site.begin(['--lock', 'row', ...migration(gate.path)]);
    await first.saying(/started/);
    await using second = await site.begin(['--release', 'r2', ...migration(0)]);
    await second.saying(/waiting: .* has been migrating keystone/);
    await gate.open();
    assert.deepEqual([await first.code, await second.code], [0, 0]);
    assert.deepEqual(
      runsIn(await site.journal()).map((run) => run.isWhole),
      [true, true],
    );
  });

  test('after SIGTERM it reports the migration as interrupted, and is free', async () => {
    const site = await newSite();
    await using begun = await site.begin(['--grace', '200ms', ...migration(60_000)]);
    await begun.saying(/started/);
    process.kill(begun.running.pid, 'SIGTERM');
    assert.equal(await begun.code, 143);
    const lease = await site.lease();
    assert.equal(lease?.spec?.holderIdentity ?? '', '');
    const { state, 'ready-for': ready } = said(lease);
    assert.deepEqual({ state, ready }, { state: 'interrupted', ready: undefined });
  });

  test('a waiter exits at once on SIGTERM, and leaves the Lease to its holder', async () => {
    const site = await newSite();
    await using gate = await gateFile();
    await using first = await site.begin(migration(gate.path));
    await first.saying(/started/);
    await using second = await site.begin([...CALM, ...migration(0)]);
    await second.saying(/waiting: /);
    process.kill(second.running.pid, 'SIGTERM');
    assert.equal(await second.code, 143);
    await gate.open();
    assert.equal(await first.code, 0);
    assert.equal((await site.lease())?.spec?.leaseTransitions, 1);
  });

  test('a wait for the migration considers the release whose code may start, through every phase', async () => {
    const site = await newSite();
    const phase = async (name: string, release: string, code = 0) => {
      const ended = await site.sync(['--phase', name, '--release', release, ...migration(0, code)]);
      assert.equal(ended.code, code, ended.stderr);
      const { state, 'ready-for': ready } = said(await site.lease());
      return { state, ready };
    };
    const wait = (text: string) => startInit(['--kubeconfig', site.kubeconfig, '--wait', text, '--timeout', '3m']);
    await using any = await wait('db-sync/keystone');
    await using next = await wait('db-sync/keystone?release=r2');
    await any.said(/no such Lease/);
    assert.deepEqual(await phase('expand', 'r1'), { state: 'done', ready: undefined });
    await any.said(/: done \(expand\) of release r1$/);
    assert.deepEqual(await phase('migrate', 'r1'), { state: 'done', ready: 'r1' });
    assert.equal(await any.ended, 0);
    await next.said(/: ready for release r1, not r2; done \(migrate\) of release r1$/);
    assert.deepEqual(await phase('contract', 'r1', 3), { state: 'failed', ready: 'r1' });
    assert.deepEqual(await phase('expand', 'r2', 3), { state: 'failed', ready: 'r1' });
    await using still = await wait('db-sync/keystone?release=r1');
    assert.equal(await still.ended, 0);
    assert.deepEqual(await phase('migrate', 'r2'), { state: 'done', ready: 'r2' });
    assert.equal(await next.ended, 0);
  });

  test('a full migration withdraws readiness at its start; completed work is published on a new Lease', async () => {
    const site = await newSite();
    await using directory = await privateDirectory('own-service');
    const tool = join(directory.path, 'tool');
    const gate = join(directory.path, 'open');
    await writeFile(
      tool,
      `#!/bin/sh\n[ "$1" = check ] || { echo started; while [ ! -e ${gate} ]; do sleep 0.05; done; }\n`,
    );
    await chmod(tool, 0o755);
    const file = join(directory.path, 'kolla-pod.yaml');
    const url = [{ section: 'database', key: 'connection' }];
    const steps = {
      phases: { all: [{ argv: [tool] }] },
      check: { argv: [tool, 'check'], codes: { 0: 'complete' } },
    };
    const databases = [{ name: 'own', url }];
    const own = { keystone: { configFile: '/etc/own.conf', databases, migration: steps } };
    await writeFile(file, JSON.stringify({ services: own }));
    const env = { KOLLA_POD_CONFIG: file };
    await site.kubectl('create', '--filename', await leaseFile(directory.path, { 'kolla-pod/ready-for': 'r0' }));
    await using begun = await site.begin(['--release', 'r1'], env);
    await begun.saying(/started/);
    assert.equal(said(await site.lease())['ready-for'], undefined);
    await writeFile(gate, '');
    assert.equal(await begun.code, 0);
    assert.equal(said(await site.lease())['ready-for'], 'r1');
    const taken = (await site.lease())?.spec?.leaseTransitions;
    assert.equal((await site.sync(['--release', 'r1'], env)).code, 0);
    assert.equal((await site.lease())?.spec?.leaseTransitions, taken);
    await site.kubectl('delete', 'lease', 'kolla-db-sync-keystone');
    const again = await site.sync(['--release', 'r1'], env);
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stderr, /nothing to do/);
    const { state, 'ready-for': ready, token } = said(await site.lease());
    assert.deepEqual(
      { state, ready, token },
      { state: 'done', ready: 'r1', token: String((await site.fence())?.['token']) },
    );
  });

  test("the token keeps growing when the Lease was deleted, and is not below the Lease's count", async () => {
    const site = await newSite();
    await site.sync(['--release', 'r1', ...migration(0)]);
    await site.kubectl(
      'patch',
      'lease',
      'kolla-db-sync-keystone',
      '--type=merge',
      '--patch={"spec":{"leaseTransitions":40}}',
    );
    await site.sync(['--release', 'r2', ...migration(0)]);
    const grown = Number((await site.fence())?.['token']);
    assert.ok(grown > 40, String(grown));
    await site.kubectl('delete', 'lease', 'kolla-db-sync-keystone');
    await site.sync(['--release', 'r3', ...migration(0)]);
    assert.ok(Number((await site.fence())?.['token']) > grown);
  });
});

async function leaseFile(directory: string, annotations: Record<string, string>): Promise<string> {
  const path = join(directory, 'lease.json');
  const metadata = { name: 'kolla-db-sync-keystone', annotations };
  await writeFile(path, JSON.stringify({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata }));
  return path;
}
