/** Which nodes kolla-db-sync uses, and its handling of Galera-specific errors. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { canRunGalera, startGalera, type Galera, type GaleraNode } from '../cluster/galera.ts';
import { runHelper } from '../support/helper.ts';
import { freePort } from '../../tools/port.ts';
import { until } from '../support/until.ts';
import { ensure } from './kolla-db-sync-ensure-support.ts';
import { beginOn, siteOnGalera } from './kolla-db-sync-galera-support.ts';
import { CALM, migration, runsIn, siteOn } from './kolla-db-sync-support.ts';

const skip = (await canRunGalera()) ?? false;

describe('kolla-db-sync and Galera node states', { skip }, () => {
  let galera: Galera;
  let node: GaleraNode;
  before(async () => {
    galera = await startGalera({ nodes: 2 });
    node = galera.nodes[0]!;
  });
  after(() => galera[Symbol.asyncDispose]());

  test('uses a donor unless told to wait for it', async () => {
    const site = siteOn(node);
    await node.query('SET GLOBAL wsrep_desync = ON');
    try {
      assert.equal((await site.sync(migration(0))).code, 0);
      await using begun = await site.begin(['--galera-donor', 'wait', ...migration(0)]);
      await begun.saying(/waiting for the database server .*: it is Donor\/Desynced, not Synced/);
      await node.query('SET GLOBAL wsrep_desync = OFF');
      assert.equal(await begun.code, 0);
    } finally {
      await node.query('SET GLOBAL wsrep_desync = OFF');
    }
  });

  test('waits for a node without quorum, and reports that at the deadline', async () => {
    const site = siteOn(node);
    await node.isolate();
    try {
      await until('it to be alone', async () =>
        (await node.status('wsrep_cluster_status')) === 'Primary' ? undefined : true,
      );
      // Long enough for one attempt on a busy machine.
      const { code, stderr } = await site.sync(['--timeout', '20s', ...migration(0)]);
      assert.equal(code, 75);
      assert.match(stderr, /waited 20s for the database server at .*: its part of the cluster is .*no quorum/);
    } finally {
      await node.heal();
      await galera.waitWhole();
    }
  });

  test('does not write through a node that does not replicate its writes', async () => {
    const site = siteOn(node);
    await node.query('SET GLOBAL wsrep_on = OFF');
    try {
      await using begun = await site.begin(migration(0));
      await begun.saying(/waiting for the database server .*: wsrep_on is OFF: its writes are not replicated/);
      process.kill(begun.running.pid, 'SIGTERM');
      assert.equal(await begun.code, 143);
    } finally {
      await node.query('SET GLOBAL wsrep_on = ON');
    }
  });

  test('continues when the node responds with 1047 for a while', async () => {
    const site = siteOn(node);
    assert.equal((await site.sync(migration(0))).code, 0);
    await node.query('SET GLOBAL wsrep_reject_queries = ALL');
    await using begun = await site.begin(migration(0));
    try {
      await begun.saying(/database URL from/);
      await new Promise((resolve) => setTimeout(resolve, 1500));
    } finally {
      await node.query('SET GLOBAL wsrep_reject_queries = NONE');
    }
    assert.equal(await begun.code, 0, begun.said());
    assert.equal(runsIn(await site.journal()).length, 2);
  });

  test('uses the first usable one of several hosts, and passes it to the command', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      const site = siteOn(node);
      const hosts = ['--host', `127.0.0.1:${await freePort()}`];
      hosts.push('--host', `127.0.0.1:${(silent.address() as AddressInfo).port}`, '--host', `127.0.0.1:${node.port}`);
      const url = site.env['KOLLA_DB_SYNC_CONNECTION']!.replace(`:${node.port}/`, ':1/');
      const { code, stderr } = await site.sync([...hosts, ...migration(0)], { KOLLA_DB_SYNC_CONNECTION: url });
      assert.equal(code, 0, stderr);
      assert.equal(runsIn(await site.journal()).length, 1);
    } finally {
      silent.close();
    }
  });

  test('ensure logs in on each node, and commits nothing the second time', async () => {
    const site = siteOn(node);
    const first = await ensure(site);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stderr, /can log in on 2 of 2 nodes/);
    const committed = await node.status('wsrep_last_committed');
    const second = await ensure(site);
    assert.equal(second.code, 0, second.stderr);
    assert.match(second.stderr, /nothing was changed.*can log in on 2 of 2 nodes/s);
    assert.equal(await node.status('wsrep_last_committed'), committed);
  });

  test('ensure names the node that rejects an account accepted by another', async () => {
    const site = siteOn(node);
    assert.equal((await ensure(site)).code, 0);
    const other = galera.nodes[1]!;
    await other.query(`SET SESSION wsrep_on = OFF; ALTER USER ${site.database} IDENTIFIED BY 'of this node only'`);
    const { code, stderr } = await ensure(site);
    assert.equal(code, 77);
    const says = `node 127.0.0.1:${other.port} rejects account ${site.database}, which 127.0.0.1:${node.port} accepts: error 1045`;
    assert.ok(stderr.includes(says), stderr);
  });

  test('ensure reports an unreachable node, and status skips one that rejects the login', async () => {
    const site = siteOn(node);
    const absent = `127.0.0.1:${await freePort()}`;
    const given = ['--host', `127.0.0.1:${node.port}`, '--host', absent];
    const { code, stderr } = await ensure(site, given);
    assert.equal(code, 0, stderr);
    assert.match(stderr, new RegExp(`could not try the account on node ${absent}: .*ECONNREFUSED`));
    assert.match(stderr, /can log in on 2 of 3 nodes/);

    const other = galera.nodes[1]!;
    await other.query(`SET SESSION wsrep_on = OFF; ALTER USER ${site.database} IDENTIFIED BY 'of this node only'`);
    const hosts = ['--host', `127.0.0.1:${other.port}`, '--host', `127.0.0.1:${node.port}`];
    const env = { KOLLA_DB_SYNC_CONNECTION: site.env['KOLLA_DB_SYNC_CONNECTION'] };
    const status = await runHelper('kolla-db-sync', ['status', 'keystone', ...hosts], { env });
    assert.equal(status.code, 1, status.stderr);
    assert.match(status.stderr, new RegExp(`skipped: cannot log in as .*:${other.port}: error 1045`));
  });

  test('the next run waits for a statement that another node still runs for a dead command', async () => {
    const [first, second] = galera.nodes as [GaleraNode, GaleraNode];
    const site = await siteOnGalera(galera);
    const [shell, script, client] = site.migration(0) as unknown as [string, string, string];
    assert.equal(await (await beginOn(site, [first], ['--', ...site.migration(0)])).code, 0);
    const late = `"$0" -h 127.0.0.1 -P ${first.port} -u ${site.database} ${site.database} -e "UPDATE journal SET what = 'late' WHERE n = 1"`;
    await using blocker = await first.session();
    await blocker.query('BEGIN');
    await blocker.query(`SELECT * FROM ${site.database}.journal WHERE n = 1 FOR UPDATE`);
    await using holder = await beginOn(site, [first], [...CALM, '--', shell, '-c', `echo started; ${late}`, client]);
    await holder.saying(/started/);
    await using successor = await beginOn(
      site,
      [second],
      [...CALM, '--', shell, script, client, '0', String(second.port)],
    );
    await successor.saying(/waiting: .* token 2/);
    const statements = "SELECT 1 FROM information_schema.PROCESSLIST WHERE DB = ? AND INFO LIKE 'UPDATE journal%'";
    await until('the UPDATE', async () => (await first.query(statements, [site.database])).length > 0 || undefined);
    process.kill(holder.running.pid, 'SIGKILL');
    await successor.saying(
      /waiting: statements that may belong to the previous migration: .*UPDATE journal SET what = '\?'/,
    );
    assert.doesNotMatch(successor.said(), /running sh/);
    await blocker.query('COMMIT');
    assert.equal(await successor.code, 0, successor.said());
    assert.equal((await site.journal())[0]?.what, 'late');
  });
});
