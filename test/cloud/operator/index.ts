/**
 * `make cloud-operator`: the cloud of `make cloud` by kolla-operator, from one object, and upgraded under load by a change of its
 * release. FROM, RELEASE, KILLS, FAULTS, SEED, STAY and EVIDENCE in the environment:
 *
 *   images of two releases and of the operator -> three nodes -> site.ts: CRDs, the operator's manifest, ConfigMap, Secret
 *   k8s/examples/cloud/openstack.yaml, two replicas of each API, the images below OpenStack fixed
 *     -> kubectl apply -> Ready -> what users do
 *   ../upgrade/load.ts in the background -> kolla-pod upgrade RELEASE --watch -> Ready, meanwhile
 *     strikes.ts: SIGKILL to the leader, KILLS times; with FAULTS, a pattern of their names, faults of ../chaos, too:
 *     then MariaDB and RabbitMQ have three nodes, and the checks begin when each workload and operation has recovered
 *   Helm's revisions -> stages.ts: when each stage began -> requests and operations by stage
 *   at the end: records of services, what was created before, no lock, what users do on the new release, `helm ls`
 *   -> report.ts, docs/evidence/cloud-operator.md, with FAULTS chaos-upgrade.md
 *
 * A failed request or operation that ../upgrade/limits.ts does not have ends the run with 1, unless there are FAULTS.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { canBuildImages } from '../../cluster/pod-images.ts';
import { randomFrom } from '../../support/random.ts';
import { faultsNamed } from '../chaos/faults.ts';
import { assertLocksFree } from '../chaos/locks.ts';
import { SMALL_LOG_VOLUME } from '../chaos/log-volume.ts';
import { recovered } from '../chaos/recovery.ts';
import { startClient } from '../client.ts';
import { writeImages } from '../images.ts';
import { podsOf } from '../install.ts';
import { setBasis } from '../operations/basis.ts';
import { serverLife } from '../operations/server-life.ts';
import { stacks } from '../operations/stacks.ts';
import { volumeLife } from '../operations/volume-life.ts';
import { makePasswords } from '../passwords.ts';
import { runCloud, type Cloud } from '../run.ts';
import { releaseTree } from '../trees/release.ts';
import { endLoad } from '../upgrade/after.ts';
import { createLasting } from '../upgrade/lasting.ts';
import { startLoad } from '../upgrade/load.ts';
import { assertOnlyLimits } from '../upgrade/outcome.ts';
import { THREE_NODES } from '../upgrade/rolled.ts';
import { sqlOf } from '../upgrade/schemas.ts';
import { twoOfEach } from '../upgrade/two-of-each.ts';
import { writeOperatorReport } from './report.ts';
import { applyCloud, assertHelmAgrees, importOperator, installOperator, upgradeCloud } from './site.ts';
import { stagesOf } from './stages.ts';
import { startStrikes } from './strikes.ts';

const [FROM, TO] = [process.env['FROM'] || '2025.1', process.env['RELEASE'] || '2026.1'];
const KILLS = Number(process.env['KILLS'] || 3);
const FAULTS = process.env['FAULTS'] ?? '';
const STRUCK = FAULTS === '' ? [] : faultsNamed(FAULTS);
const SEED = Number(process.env['SEED'] || Math.floor(Date.now() / 1000));
/** The part of the load that is counted before the upgrade. */
const BEFORE_MS = 30_000;

await runCloud({ target: 'make cloud-operator', release: FROM, needed: [canBuildImages], work: perform });

async function perform({ stage, timeline, adminOf }: Cloud): Promise<void> {
  await timeline.step(`OpenStack ${TO}'s tree`, async () => void (await releaseTree(TO)));
  await timeline.step(`images of ${TO} and of the operator imported`, async () => {
    await stage.node.importImage((await writeImages(stage.directory, TO)).openstack);
    await importOperator(stage);
  });
  const file = join(stage.directory, 'passwords.yml');
  const admin = await adminOf(file);
  const passwordOf = await makePasswords(file);
  const replicas = join(stage.directory, 'replicas.json');
  await writeFile(replicas, JSON.stringify(twoOfEach(STRUCK.length > 0 ? THREE_NODES : {})));
  const prepared = STRUCK.length > 0 ? [join(stage.directory, 'prepared.json')] : [];
  for (const one of prepared) await writeFile(one, JSON.stringify({ global: { charts: SMALL_LOG_VOLUME } }));
  await timeline.step('the operator runs', () => installOperator(stage));
  await timeline.step(`a cloud of ${FROM} from one object`, async () => {
    await applyCloud(stage, [replicas, ...prepared], file);
    await upgradeCloud(stage, FROM, timeline);
  });
  const client = await timeline.step('the client runs', () => startClient(stage, admin));
  await using world = await timeline.step('image, flavors and network created', () => setBasis(stage, client));
  await timeline.step(serverLife.title, () => serverLife.run(world));
  await using lasting = await timeline.step('objects that outlast the upgrade', () => createLasting(world));
  const load = await timeline.step('load started', () =>
    startLoad(stage, world.basis, passwordOf('keystone_admin_password')),
  );
  const loaded = Date.now() / 1000;
  await timeline.step('before', () => setTimeout(BEFORE_MS));
  timeline.say(`SEED=${SEED} KILLS=${KILLS}`);
  const strikes = startStrikes(stage, randomFrom(SEED), { kills: KILLS, faults: STRUCK }, timeline);
  const began = Date.now() / 1000;
  await timeline.step(`kolla-pod upgrade ${TO} --watch`, () => upgradeCloud(stage, TO, timeline, STRUCK.length > 0));
  const ended = Date.now() / 1000;
  const done = await strikes.stop();
  if (STRUCK.length > 0)
    await timeline.step('the last fault is over', async () => {
      const { readySeconds, servingSeconds } = await recovered(stage, load, [], ended);
      return `ready after ${readySeconds.toFixed(0)} s, served after ${servingSeconds.toFixed(0)} s`;
    });
  const { phases: upgrade, revisions } = await stagesOf(stage, { began, ended });
  const phases = [{ name: 'before', from: loaded, to: began }, ...upgrade];
  const rows = await endLoad({ stage, timeline, client, load, lasting }, phases);
  await timeline.step('no lock is held, no migration unfinished', () =>
    assertLocksFree(sqlOf(stage, passwordOf('database_password'))),
  );
  await timeline.step('helm ls says the same', () => assertHelmAgrees(stage));
  for (const operation of [serverLife, volumeLife, stacks])
    await timeline.step(operation.title, () => operation.run(world));
  timeline.say(`${(await podsOf(stage)).length} Pods`);
  const outcome = { timeline, from: FROM, to: TO, phases, rows };
  if (process.env['EVIDENCE'] === '1')
    await writeOperatorReport({ ...outcome, strikes: done, seed: SEED, kills: KILLS, faults: FAULTS, revisions });
  if (STRUCK.length === 0) assertOnlyLimits(rows, FROM);
}
