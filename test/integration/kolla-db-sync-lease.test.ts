/**
 * kolla-db-sync's Lease on a real API server, and the row beside it on a real server. What migrations did is judged by
 * what they wrote into their database themselves.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { leaseSite, said, startWorld, type LeaseSite, type World } from './kolla-db-sync-lease-support.ts';
import { gateFile, migration } from './kolla-db-sync-support.ts';

const skip = (await canRunControlPlane()) ?? (await canRunMariadb()) ?? false;

describe('the Lease of kolla-db-sync', { skip, timeout: 240_000, concurrency: 2 }, () => {
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

  test('is held and says so while a migration runs, and is given back with what came of it', async () => {
    const site = await newSite();
    await using gate = await gateFile();
    await using begun = await site.begin(['--release', 'r1', ...migration(gate.path)]);
    await begun.saying(/started/);
    const during = await site.lease();
    const { holder, token } = (await site.fence()) ?? {};
    assert.equal(during?.spec?.holderIdentity, holder);
    assert.deepEqual(said(during), { state: 'running', phase: 'command', release: 'r1', token: String(token) });
    await gate.open();
    assert.equal(await begun.code, 0);
    const ended = await site.lease();
    assert.equal(ended?.spec?.holderIdentity ?? '', '');
    const { ended: when, ...rest } = said(ended);
    assert.ok(Date.parse(when ?? '') > 0);
    assert.deepEqual(rest, {
      state: 'done',
      phase: 'command',
      release: 'r1',
      token: String(token),
      'ready-for': 'r1',
    });
  });
});
