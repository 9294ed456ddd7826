/**
 * `make cloud`: a release of OpenStack on the charts, and what its users do. `node test/cloud/index.ts`, with RELEASE,
 * KUBERNETES, ADDRESSES, STAY, FULL and EVIDENCE in the environment:
 *
 *   releases/NAME.txt -> trees/    Debian's packages, and PyPI's by their hashes, unpacked into the cache
 *   trees -> images.ts             Kolla's layout, users, our binary; stand-ins/ for what needs a kernel or hardware
 *   images -> stage.ts             three kubelets (a tainted control node, two computes), DNS, Elasticsearch, volumes
 *   charts, globals, passwords -> by-page.ts   the commands of docs/start/kind.md
 *   client.ts -> operations/       OpenStack's own client in a Pod; an operation asserts its effect and removes its objects
 *   the whole cloud -> checks/     nothing left behind, commands and options known, bootstrap plans empty, readiness, every log line
 *   FULL=1: config.reload: live -> tempest/, and each service follows a changed value
 *   steps -> timeline.ts           a line as each ends -> report.ts, docs/evidence/cloud.md, or cloud-RELEASE.md
 *
 * run.ts has the stage's life and the exit code. Everything ends with this process.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { restarts } from '../aio/openstack.ts';
import { canRunChromium } from '../cluster/chromium.ts';
import { addressesOf } from '../cluster/kubernetes/network.ts';
import { DEFAULT_KUBERNETES, KUBERNETES } from '../cluster/kubernetes/version.ts';
import { assertBootstrapPlansEmpty } from './checks/bootstrap-plan.ts';
import { assertReadinessFollowsBroker } from './checks/broker-gone.ts';
import { assertCommandsExist } from './checks/catalogue.ts';
import { assertDashboard } from './checks/dashboard.ts';
import { assertNothingLeft, inventory } from './checks/left-over.ts';
import { assertLiveReload } from './checks/live-reload.ts';
import { assertLogsShipped } from './checks/logs.ts';
import { assertOptionsKnown } from './checks/options.ts';
import { assertResidents } from './checks/residents.ts';
import { startClient } from './client.ts';
import { installByPage } from './by-page.ts';
import { podsOf } from './install.ts';
import { memoryOf } from './memory.ts';
import { setBasis } from './operations/basis.ts';
import { OPERATIONS } from './operations/index.ts';
import { takePicture } from './picture.ts';
import { NOT_RUN, writeReport } from './report.ts';
import { runCloud, type Cloud } from './run.ts';
import type { Stage } from './stage.ts';
import { assertTempestPasses } from './tempest/index.ts';

const LIVE = fileURLToPath(new URL('live.yml', import.meta.url));
const IS_FULL = process.env['FULL'] === '1';
/** The Pod in docs/images/status.png. */
const PICTURED = 'nova-scheduler';
const PRINTS_EVIDENCE = process.env['EVIDENCE'] === '1';

await runCloud({
  target: 'make cloud',
  needed: [canRunChromium],
  options: { addresses: addressesOf(process.env['ADDRESSES']) },
  work: perform,
});

async function perform({ stage, timeline, adminOf }: Cloud): Promise<void> {
  const passwords = join(stage.directory, 'passwords.yml');
  const admin = await adminOf(passwords);
  const values = IS_FULL ? [passwords, LIVE] : [passwords];
  await timeline.step('all charts installed', () => installByPage(stage, passwords, IS_FULL ? [LIVE] : []));
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
  await timeline.step('what stays in the Pods', () => assertResidents(stage));
  const memory = await memoryOf(stage);
  if (IS_FULL) await timeline.step('a changed value reaches each process', () => assertLiveReload(stage, values));
  await timeline.step('readiness without the broker', () =>
    assertReadinessFollowsBroker(stage, async (pods) => {
      const pictured = pods.find((name) => name.startsWith(PICTURED)) ?? '';
      if (PRINTS_EVIDENCE) await takePicture(stage, pictured);
    }),
  );
  await timeline.step('every log line is in Elasticsearch once', () => assertLogsShipped(stage));
  if (PRINTS_EVIDENCE) await writeReport(stage, timeline, memory, targetOf(stage));
  for (const line of NOT_RUN) timeline.say(`not run: ${line}`);
}

/** The command of this run. */
function targetOf({ release, addresses }: Stage): string {
  const others = [
    ...(KUBERNETES.minor === DEFAULT_KUBERNETES ? [] : [`KUBERNETES=${KUBERNETES.minor}`]),
    ...(addresses === 'IPv4' ? [] : [`ADDRESSES=${addresses}`]),
  ];
  return [`make cloud${IS_FULL ? '-full' : ''}`, `RELEASE=${release}`, ...others].join(' ');
}
