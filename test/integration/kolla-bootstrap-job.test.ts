import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startKeystone, type KeystoneServer } from '../cluster/keystone-server.ts';
import { canRunKeystone } from '../cluster/keystone.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { sharedMariadb, type SharedMariadb } from '../servers/index.ts';
import type { Finished } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { newJobSite } from './kolla-bootstrap-job-support.ts';
import { adminOf, type Admin } from './kolla-bootstrap-support.ts';

const skip = (await canRunKeystone()) ?? (await canRunMariadb()) ?? false;
const PARTS = ['bootstrap:tool,users,endpoints done', 'tool:first done'];

function isDone(finished: Finished): void {
  assert.equal(finished.code, 0, finished.stderr);
  assert.ok(!finished.stderr.includes('hidden'), 'a secret was shown');
}

describe('kolla-bootstrap from an empty server to a service that can start', { skip, concurrency: 3 }, () => {
  const stack = new AsyncDisposableStack();
  let mariadb: SharedMariadb;
  let keystone: KeystoneServer;
  let admin: Admin;

  before(async () => {
    mariadb = stack.use(await sharedMariadb());
    keystone = stack.use(await startKeystone(mariadb));
    admin = await adminOf(keystone);
  });
  after(() => stack.disposeAsync());

  test('the plan shows every part, a run applies them in order, and a second one takes no lock and changes nothing', async () => {
    await using site = await newJobSite(mariadb, keystone);
    const { name } = site;
    const plan = await site.show('plan', ['-o', 'json']);
    assert.equal(plan.code, 1, plan.stderr);
    const { changes } = JSON.parse(plan.stdout) as { changes: { part: string; kind: string }[] };
    assert.deepEqual(
      [...new Set(changes.map(({ part }) => part))],
      ['database', 'schema', 'tool', 'users', 'endpoints'],
    );
    assert.deepEqual(await mariadb.query('SHOW DATABASES LIKE ?', [name]), [], 'a plan makes nothing');
    assert.deepEqual(await site.journal(), []);

    isDone(await site.run());
    assert.deepEqual(await site.journal(), ['schema', 'first', 'first-end']);
    assert.deepEqual(await site.records(), ['all done', ...PARTS]);
    const live = await admin.login(name, site.password);
    assert.equal(typeof live, 'string');

    const token = await site.token();
    site.proxy.forget();
    isDone(await site.run());
    assert.equal(await site.token(), token, 'the lock was taken');
    assert.deepEqual(site.writes(), []);
    assert.equal((await site.journal()).length, 3);
    assert.equal(await admin.use(String(live)), 200);
    assert.equal((await site.show('plan')).code, 0);
    const status = await site.show('status');
    assert.match(status.stdout, /bootstrap:tool,users,endpoints +done/);
  });

  test('two concurrent runs create everything once', async () => {
    await using site = await newJobSite(mariadb, keystone);
    for (const finished of await Promise.all([site.run(), site.run()])) isDone(finished);
    assert.deepEqual((await site.journal()).toSorted(), ['first', 'first-end', 'schema']);
    assert.equal((await admin.list(`/users?name=${site.name}`)).length, 1);
    assert.equal((await admin.list(`/services?name=${site.name}`)).length, 1);
  });

  test('a lost lock stops the command and all further changes; the next run continues', async () => {
    await using site = await newJobSite(mariadb, keystone, true);
    await using running = await site.start();
    await until('the command', async () => ((await site.journal()).includes('first') ? true : undefined));
    await mariadb.query(`UPDATE ${site.name}.kolla_pod_fence SET token = token + 1, state = 'done'`);
    assert.equal(await running.ended, 69);
    assert.deepEqual(await site.journal(), ['schema', 'first']);
    assert.deepEqual(site.writes(), []);
    await site.open();
    isDone(await site.run());
    assert.deepEqual(await site.journal(), ['schema', 'first', 'first', 'first-end']);
  });

  test('the next run continues after a kill during its command, without another migration', async () => {
    await using site = await newJobSite(mariadb, keystone, true);
    {
      await using running = await site.start();
      await until('the command', async () => ((await site.journal()).includes('first') ? true : undefined));
      process.kill(running.child.pid!, 'SIGKILL');
      await running.ended;
    }
    // Opened earlier, the killed run's command could still end well.
    await site.alone();
    await site.open();
    isDone(await site.run());
    assert.deepEqual(await site.journal(), ['schema', 'first', 'first', 'first-end']);
    assert.deepEqual(await site.records(), ['all done', ...PARTS]);
  });

  test('SIGTERM stops the command after --grace and all further changes, and is recorded', async () => {
    await using site = await newJobSite(mariadb, keystone, true);
    await using running = await site.start(['--grace', '0s']);
    await until('the command', async () => ((await site.journal()).includes('first') ? true : undefined));
    process.kill(running.child.pid!, 'SIGTERM');
    assert.equal(await running.ended, 143);
    assert.deepEqual(site.writes(), []);
    assert.ok((await site.records()).includes('bootstrap:tool,users,endpoints interrupted'));
  });

  test('with Keystone down during a run, completed parts stay done and are not repeated', async () => {
    await using site = await newJobSite(mariadb, keystone);
    let isDown = false;
    site.proxy.before = ({ method, path }) => {
      if (method === 'POST' && path === '/v3/users') isDown = true;
      return Promise.resolve(isDown ? 'lose' : undefined);
    };
    {
      // A deadline here could pass before the outage: the first run ends by a signal.
      await using running = await site.start();
      await until('the outage', () => Promise.resolve(isDown || undefined));
      process.kill(running.child.pid!, 'SIGTERM');
      assert.equal(await running.ended, 143);
    }
    assert.deepEqual(await site.records(), [
      'all done',
      'bootstrap:tool,users,endpoints interrupted',
      'tool:first done',
    ]);
    const { code, stderr } = await site.run([], { KOLLA_BOOTSTRAP_TIMEOUT: '3s' });
    assert.equal(code, 75, stderr);
    site.proxy.before = undefined;
    isDone(await site.run());
    assert.deepEqual(await site.journal(), ['schema', 'first', 'first-end']);
    assert.equal(typeof (await admin.login(site.name, site.password)), 'string');
  });

  test('a missing password fails the run before the lock is taken', async () => {
    await using site = await newJobSite(mariadb, keystone);
    isDone(await site.run(['--only', 'database', '--only', 'schema']));
    const token = await site.token();
    await site.forgetPassword();
    const { code, stderr } = await site.run();
    assert.equal(code, 65, stderr);
    assert.match(stderr, /cannot create user [^"]*: give --password-file/);
    assert.equal(await site.token(), token);
    assert.deepEqual(await site.journal(), ['schema']);
    assert.deepEqual(site.writes(), []);
  });

  test('waits for its dependencies before anything is done', async () => {
    await using site = await newJobSite(mariadb, keystone);
    const { code, stderr } = await site.run(['--wait', 'file:/nowhere/at/all'], { KOLLA_BOOTSTRAP_TIMEOUT: '500ms' });
    assert.equal(code, 75, stderr);
    assert.deepEqual(await mariadb.query('SHOW DATABASES LIKE ?', [site.name]), []);
  });
});
