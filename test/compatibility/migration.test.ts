/** kolla-db-sync of two adjacent releases on one Galera, each by its own node, and one Lease: the lock, the records, and who waits for them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { firstLacking } from '../../tools/capability.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { canRunGalera, startGalera, type Galera } from '../cluster/galera.ts';
import { leaseSite, said, startWorld, type LeaseSite, type World } from '../integration/kolla-db-sync-lease-support.ts';
import { beginHelper, CALM, gateFile, migration, runsIn, type Begun } from '../integration/kolla-db-sync-support.ts';
import { runHelper } from '../support/helper.ts';
import { canRunPrevious, namesOf, ORDERS, type Build } from './builds.ts';

/** Logged by a run that another holds the lock of. */
const WAITS = /waiting: .* has been migrating/;
const skip = (await firstLacking([canRunControlPlane, canRunGalera, canRunPrevious])) ?? false;

describe('migrations by adjacent releases', { skip, concurrency: 2 }, () => {
  let galera: Galera;
  let world: World;
  const sites = new AsyncDisposableStack();
  before(async () => {
    galera = await startGalera();
    world = await startWorld(galera.nodes[0]);
  });
  after(async () => {
    await sites.disposeAsync();
    await world?.[Symbol.asyncDispose]();
    await galera?.[Symbol.asyncDispose]();
  });

  const begin = async (build: Build, site: LeaseSite, args: readonly string[]): Promise<Begun> => {
    const [first = '', second = ''] = galera.nodes.map(({ host, port }) => `${host}:${port}`);
    const connection = site.env['KOLLA_DB_SYNC_CONNECTION']?.replace(first, build === 'current' ? second : first);
    const env = { ...site.env, KUBECONFIG: site.kubeconfig, KOLLA_DB_SYNC_CONNECTION: connection };
    return await beginHelper(['keystone', '--admin-user', 'root', ...args], env, await namesOf(build));
  };
  const run = async (build: Build, site: LeaseSite, helper: string, args: readonly string[]) =>
    await runHelper(helper, args, { env: { KUBECONFIG: site.kubeconfig }, names: await namesOf(build) });
  const recordsOf = async (site: LeaseSite) => {
    const rows = await world.mariadb.query(`SELECT * FROM ${site.database}.kolla_pod_record ORDER BY token`);
    return rows.map(({ release, state, token }) => ({ release, state, token: Number(token) }));
  };

  for (const [former, next] of ORDERS) {
    test(`the ${next} one waits for the ${former} one's migration, and its own has the next token`, async () => {
      const site = await leaseSite(world, sites);
      await using gate = await gateFile();
      await using holder = await begin(former, site, [...CALM, '--release', 'r1', ...migration(gate.path)]);
      await holder.saying(/started/);
      await using waiter = await begin(next, site, [...CALM, '--release', 'r2', ...migration(0)]);
      await waiter.saying(WAITS);
      await gate.open();
      assert.deepEqual([await holder.code, await waiter.code], [0, 0], `${holder.said()}\n${waiter.said()}`);
      assert.deepEqual(
        runsIn(await site.journal()).map(({ isWhole }) => isWhole),
        [true, true],
      );
      const records = await recordsOf(site);
      assert.deepEqual(
        records.map(({ release, state }) => [release, state]),
        [
          ['r1', 'done'],
          ['r2', 'done'],
        ],
      );
      const [first = 0, second = 0] = records.map(({ token }) => token);
      assert.equal(second, first + 1);
      const { state, release, token } = said(await site.lease());
      assert.deepEqual({ state, release, token }, { state: 'done', release: 'r2', token: String(second) });
    });

    test(`the ${next} one that waited does not repeat the ${former} one's work; its waits and probes see it`, async () => {
      const site = await leaseSite(world, sites);
      await using gate = await gateFile();
      await using holder = await begin(former, site, [...CALM, '--release', 'r1', ...migration(gate.path)]);
      await holder.saying(/started/);
      await using waiter = await begin(next, site, [...CALM, '--release', 'r1', ...migration(gate.path)]);
      await waiter.saying(WAITS);
      await gate.open();
      assert.deepEqual([await holder.code, await waiter.code], [0, 0], `${holder.said()}\n${waiter.said()}`);
      assert.equal(runsIn(await site.journal()).length, 1);
      const wait = ['--wait', 'db-sync/keystone?release=r1', '--timeout', '1h'];
      const waited = await run(next, site, 'kolla-init', wait);
      assert.equal(waited.code, 0, waited.stderr);
      const probe = ['db-sync', 'keystone', '--timeout', '1h', '--release'];
      const ready = await run(next, site, 'kolla-probe', [...probe, 'r1']);
      assert.equal(ready.code, 0, ready.stderr);
      const other = await run(next, site, 'kolla-probe', [...probe, 'r2']);
      assert.equal(other.code, 1, other.stderr);
      assert.match(other.stderr, /ready for release r1, not r2/);
    });

    test(`the ${next} one takes over from a killed ${former} one with a greater token`, async () => {
      const site = await leaseSite(world, sites);
      await using gate = await gateFile();
      await using holder = await begin(former, site, [...CALM, '--release', 'r1', ...migration(gate.path)]);
      await holder.saying(/started/);
      const old = await site.fence();
      process.kill(holder.running.pid, 'SIGKILL');
      await using successor = await begin(next, site, [...CALM, '--release', 'r1', ...migration(0)]);
      assert.equal(await successor.code, 0, successor.said());
      const fence = await site.fence();
      assert.deepEqual([Number(fence?.['token']) > Number(old?.['token']), fence?.['state']], [true, 'done']);
      const runs = runsIn(await site.journal());
      assert.deepEqual([runs.length, runs.at(-1)?.isWhole], [2, true]);
    });
  }
});
