/**
 * `make chaos`: the cloud of `make cloud` under faults. RELEASE, MINUTES, SEED, EVIDENCE and FAULTS, a pattern of their names, in
 * the environment:
 *
 *   three nodes, all charts, three nodes of MariaDB and of RabbitMQ, objects that must outlast everything, the load of
 *     `make cloud-upgrade`
 *   seed -> faults.ts in random order, each third together with one of another part -> recovery.ts: until everything is Ready
 *     and each operation succeeds again -> a row: how long, which restarts, what failed meanwhile
 *   at the end: the objects are there, what the load left can be deleted and nothing else is left, each log line is in
 *     Elasticsearch once -> report.ts, docs/evidence/chaos.md
 *
 * What does not recover ends the run with 1. Requests that fail during a fault do not.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomFrom, shuffled } from '../../support/random.ts';
import { assertLogsShipped } from '../checks/logs.ts';
import { assertNothingLeft, inventory } from '../checks/left-over.ts';
import { startClient } from '../client.ts';
import { installCharts, podsOf } from '../install.ts';
import { setBasis } from '../operations/basis.ts';
import { makePasswords } from '../passwords.ts';
import { runCloud, type Cloud } from '../run.ts';
import { createLasting } from '../upgrade/lasting.ts';
import { startLoad } from '../upgrade/load.ts';
import { removeRemains } from '../upgrade/remains.ts';
import { THREE_NODES } from '../upgrade/rolled.ts';
import { sqlOf } from '../upgrade/schemas.ts';
import { faultsNamed, strike, type Fault } from './faults.ts';
import { SMALL_LOG_PODS, SMALL_LOG_VOLUME } from './log-volume.ts';
import { assertLocksFree } from './locks.ts';
import { now, recovered } from './recovery.ts';
import { writeChaosReport, type Struck } from './report.ts';

const MINUTES = Number(process.env['MINUTES'] || 60);
const SEED = Number(process.env['SEED'] || Math.floor(Date.now() / 1000));
const CHOSEN = faultsNamed(process.env['FAULTS'] ?? '');
const PAIRED = 3;
/** Installation and the checks at the end. */
const REST_MINUTES = 60;

await runCloud({ target: 'make chaos', needed: [], minutes: MINUTES + REST_MINUTES, work: perform });

async function perform({ stage, timeline, adminOf }: Cloud): Promise<void> {
  const file = join(stage.directory, 'passwords.yml');
  const admin = await adminOf(file);
  const passwordOf = await makePasswords(file);
  const values = join(stage.directory, 'values.json');
  await writeFile(values, JSON.stringify({ global: { charts: { ...THREE_NODES, ...SMALL_LOG_VOLUME } } }));
  await timeline.step('all charts installed', () => installCharts(stage, [values, file], timeline));
  const client = await timeline.step('the client runs', () => startClient(stage, admin));
  await using world = await timeline.step('image, flavors and network created', () => setBasis(stage, client));
  await using objects = await timeline.step('objects that outlast everything', () => createLasting(world));
  const before = await inventory(client);
  const load = await timeline.step('load started', () =>
    startLoad(stage, world.basis, passwordOf('keystone_admin_password')),
  );
  timeline.say(`SEED=${SEED} MINUTES=${MINUTES}`);
  const rows: Struck[] = [];
  const random = randomFrom(SEED);
  const end = now() + MINUTES * 60;
  for (let waiting: Fault[] = []; now() < end;) {
    if (waiting.length === 0) waiting = shuffled(random, CHOSEN);
    const [first, ...rest] = waiting as [Fault, ...Fault[]];
    const second = rows.length % PAIRED === PAIRED - 1 ? rest.find(({ part }) => part !== first.part) : undefined;
    const faults = second === undefined ? [first] : [first, second];
    waiting = rest.filter((fault) => fault !== second);
    const name = faults.map((fault) => fault.name).join(' and ');
    await timeline.step(name, async () => {
      const [pods, began] = [await podsOf(stage), now()];
      const hit = await strike(faults, stage, random);
      const recovery = await recovered(stage, load, pods, began);
      rows.push({ name, hit, ...recovery });
      const failed = recovery.samples.filter(({ ok }) => !ok).length;
      return `${hit}; ready after ${recovery.readySeconds.toFixed(0)} s, served after ${recovery.servingSeconds.toFixed(0)} s (last: ${recovery.last}), ${failed} of ${recovery.samples.length} failed`;
    });
  }
  try {
    await timeline.step('objects from before', () => objects.assertThere());
    await timeline.step('the load ended', () => load.stop());
    await timeline.step('what the load left is deleted', () => removeRemains(client));
    await timeline.step('nothing is left behind', () => assertNothingLeft(client, before));
    await timeline.step('no lock is held, no migration unfinished', () =>
      assertLocksFree(sqlOf(stage, passwordOf('database_password'))),
    );
    await timeline.step('every log line is in Elasticsearch once', () => assertLogsShipped(stage, SMALL_LOG_PODS));
  } finally {
    // Also after a failed check: what an hour has shown is not to be lost with it.
    if (process.env['EVIDENCE'] === '1')
      await writeChaosReport({ timeline, release: stage.release, seed: SEED, minutes: MINUTES, rows });
  }
}
