/**
 * `make cloud`: a release of OpenStack on the charts, and what its users do. `node test/cloud/index.ts`, with RELEASE, STAY, FULL
 * and EVIDENCE in the environment:
 *
 *   releases/NAME.txt -> trees/    Debian's packages, and PyPI's by their hashes, unpacked into the cache
 *   trees -> images.ts             Kolla's layout, users, our binary; stand-ins/ for what needs a kernel or hardware
 *   images -> stage.ts             three kubelets (a tainted control node, two computes), DNS, Elasticsearch, volumes
 *   charts, globals, passwords -> install.ts   helm install --wait of all charts at once
 *   client.ts -> operations/       OpenStack's own client in a Pod; an operation asserts its effect and removes its objects
 *   the whole cloud -> checks/     nothing left behind, commands and options known, bootstrap plans empty, readiness, every log line
 *   FULL=1: config.reload: live -> tempest/, and each service follows a changed value
 *   steps -> timeline.ts           a line as each ends -> report.ts, docs/evidence/cloud.md
 *
 * A step that fails ends the run with 1 and the state of the Pods that are not ready. Everything ends with this process;
 * STAY=1 keeps it until SIGINT or SIGTERM, also after a failure.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../src/core/errors.ts';
import { firstLacking } from '../../tools/capability.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { restarts } from '../aio/openstack.ts';
import { canRunChromium } from '../cluster/chromium.ts';
import { canRunElasticsearch } from '../cluster/elasticsearch.ts';
import { canBuildInfrastructureImages } from '../cluster/infrastructure-image.ts';
import { canBuildCoredns, canRunNode } from '../cluster/kubernetes/index.ts';
import { fileLimit } from '../support/file-limit.ts';
import { assertBootstrapPlansEmpty } from './checks/bootstrap-plan.ts';
import { assertReadinessFollowsBroker } from './checks/broker-gone.ts';
import { assertCommandsExist } from './checks/catalogue.ts';
import { assertDashboard } from './checks/dashboard.ts';
import { assertNothingLeft, inventory } from './checks/left-over.ts';
import { assertLiveReload } from './checks/live-reload.ts';
import { assertLogsShipped } from './checks/logs.ts';
import { assertOptionsKnown } from './checks/options.ts';
import { accountOf, startClient, type Account } from './client.ts';
import { guard } from './guard.ts';
import { installCharts, podsOf, whatIsWrong } from './install.ts';
import { memoryOf } from './memory.ts';
import { setBasis } from './operations/basis.ts';
import { OPERATIONS } from './operations/index.ts';
import { makePasswords } from './passwords.ts';
import { takePicture } from './picture.ts';
import { NOT_RUN, writeReport } from './report.ts';
import { setStage, type Stage } from './stage.ts';
import { stay } from './stay.ts';
import { assertTempestPasses } from './tempest/index.ts';
import { Timeline } from './timeline.ts';
import { debianTree } from './trees/debian.ts';
import { releaseNames, releaseTree } from './trees/release.ts';

const DEFAULT_RELEASE = '2026.1';
/** The watchdog's limit, without the time in which the cache is filled. */
const MINUTES = 60;
const STAYS = process.env['STAY'] === '1';
const LIVE = fileURLToPath(new URL('live.yml', import.meta.url));
const IS_FULL = process.env['FULL'] === '1';
/** The Pod in docs/images/status.png. */
const PICTURED = 'nova-scheduler';
const PRINTS_EVIDENCE = process.env['EVIDENCE'] === '1';

const NEEDED = [
  canRunNode,
  canBuildCoredns,
  canRunHelm,
  canRunElasticsearch,
  canBuildInfrastructureImages,
  canRunChromium,
];

const timeline = new Timeline();
await guard(timeline, async (hold) => await main(process.env['RELEASE'] || DEFAULT_RELEASE, hold));

async function main(release: string, hold: (stage: Stage) => void): Promise<number> {
  const known = await releaseNames();
  if (!known.includes(release)) {
    console.error(`there is no release ${release} in test/cloud/releases, but ${known.join(', ')}`);
    return 64;
  }
  fileLimit(MINUTES);
  const lacking = await firstLacking(NEEDED);
  if (lacking !== undefined) {
    console.error(`make cloud can't run here: ${lacking}`);
    return 69;
  }
  await timeline.step("Debian's tree", async () => void (await debianTree()));
  await timeline.step(`OpenStack ${release}'s tree`, async () => void (await releaseTree(release)));
  await using stage = await setStage(release, timeline);
  hold(stage);
  const file = join(stage.directory, 'passwords.yml');
  const password = await makePasswords(file);
  const admin = accountOf('admin', password('keystone_admin_password'), 'admin');
  try {
    const values = IS_FULL ? [file, LIVE] : [file];
    await timeline.step('all charts installed', () => installCharts(stage, values, timeline));
    await perform(stage, admin, values);
    for (const line of NOT_RUN) timeline.say(`not run: ${line}`);
    if (STAYS) await stay(stage, admin);
    return 0;
  } catch (error) {
    console.error(`${await whatIsWrong(stage)}\nfailed in '${timeline.current}': ${messageOf(error)}`);
    if (STAYS) await stay(stage, admin);
    return 1;
  }
}

async function perform(stage: Stage, admin: Account, values: readonly string[]): Promise<void> {
  const client = await timeline.step('the client runs', () => startClient(stage, admin));
  const before = await inventory(client);
  {
    await using world = await timeline.step('image, flavors and network created', () => setBasis(stage, client));
    for (const operation of OPERATIONS) await timeline.step(operation.title, () => operation.run(world));
    await timeline.step('login to Horizon with a browser', () => assertDashboard(world, admin));
    if (IS_FULL) await timeline.step("Tempest's smoke tests", () => assertTempestPasses(world, admin));
  }
  await timeline.step('nothing is left behind', () => assertNothingLeft(client, before));
  await timeline.step("the catalogue's commands", () => assertCommandsExist(client));
  await timeline.step("the services' options", () => assertOptionsKnown(stage, client));
  await timeline.step('kolla-bootstrap plan', () => assertBootstrapPlansEmpty(stage));
  const restarted = Object.values(restarts(await podsOf(stage))).reduce((sum, count) => sum + count, 0);
  timeline.say(`containers restarted so far: ${restarted}`);
  const memory = await memoryOf(stage);
  if (IS_FULL) await timeline.step('a changed value reaches each process', () => assertLiveReload(stage, values));
  await timeline.step('readiness without the broker', () =>
    assertReadinessFollowsBroker(stage, async (pods) => {
      const pictured = pods.find((name) => name.startsWith(PICTURED)) ?? '';
      if (PRINTS_EVIDENCE) await takePicture(stage, pictured);
    }),
  );
  await timeline.step('every log line is in Elasticsearch once', () => assertLogsShipped(stage));
  if (PRINTS_EVIDENCE) await writeReport(stage, timeline, memory);
}
