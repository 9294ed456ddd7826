/**
 * `make cloud GUEST=1`: the cloud of `make cloud`, on whose compute nodes virtual machines run and packets pass.
 *
 *   layers.ts -> ../images.ts       libvirt, QEMU, Open vSwitch, and what Neutron's agents call, in place of the stand-ins
 *   image.ts                        a guest: Debian's kernel and BusyBox, which reports to its console
 *   cables.ts -> ../stage.ts        a device for tunnels and one to the outside on each compute node
 *   ceph-page.ts                    an external Ceph, by the commands of docs/how-to/advanced.md
 *   k8s/examples/cloud/guest.yml    the values: emulation, a datapath in user space, bridges
 *   world.ts -> operations.ts       what users do, seen from the guests' consoles and from outside
 *
 *   EVIDENCE=1 -> report.ts, docs/evidence/guest.md
 *
 * run.ts has the stage's life and the exit code. Everything ends with this process.
 */
import { join } from 'node:path';
import { canRunCeph } from '../../cluster/ceph-programs.ts';
import type { Ceph } from '../../cluster/ceph.ts';
import { assertNothingLeft, inventory } from '../checks/left-over.ts';
import { assertResidents } from '../checks/residents.ts';
import { startClient } from '../client.ts';
import { installByPage } from '../by-page.ts';
import { memoryOf } from '../memory.ts';
import { runCloud, type Cloud } from '../run.ts';
import type { Stage } from '../stage.ts';
import { runPage } from './ceph-page.ts';
import { migrationTls } from './migration-tls.ts';
import { guestImage } from './image.ts';
import { GUEST_OPERATIONS } from './operations.ts';
import { writeGuestReport } from './report.ts';
import { IMAGE_PLACE, setGuestBasis } from './world.ts';

await runCloud({ target: 'make cloud GUEST=1', needed: [canRunCeph], options: { hasGuests: true }, work: perform });

/** Sets up the external Ceph by the commands of docs/how-to/advanced.md, and creates their Secrets. */
async function prepareStorage({ node, kubectl }: Stage, storage: Ceph): Promise<void> {
  for (const [name, entries] of await runPage(storage, node.inside)) {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: Object.fromEntries(entries) };
    await kubectl(['apply', '--filename=-'], JSON.stringify(secret));
  }
}

async function perform({ stage, timeline, adminOf }: Cloud): Promise<void> {
  const { storage } = stage;
  if (storage === undefined) throw new Error('the stage has no storage');
  // An object, since text would be shown on the page: the path is this machine's.
  const { image } = await timeline.step("the guest's image", async () => ({ image: await guestImage() }));
  const passwords = join(stage.directory, 'passwords.yml');
  const admin = await adminOf(passwords);
  const tls = await migrationTls(stage);
  await tls.issue();
  await timeline.step('pools, keys and Secrets', () => prepareStorage(stage, storage));
  await timeline.step('all charts installed', () => installByPage(stage, passwords, []));
  const volumes = { [IMAGE_PLACE]: { hostPath: { path: image } } };
  const client = await timeline.step('the client runs', () => startClient(stage, admin, volumes));
  const before = await inventory(client);
  {
    await using world = await timeline.step('image, flavors and networks created', () =>
      setGuestBasis(stage, client, storage, tls),
    );
    for (const operation of GUEST_OPERATIONS) await timeline.step(operation.title, () => operation.run(world));
  }
  await timeline.step('nothing is left behind', () => assertNothingLeft(client, before));
  await timeline.step('what stays in the Pods', () => assertResidents(stage));
  if (process.env['EVIDENCE'] === '1') await writeGuestReport(stage, timeline, await memoryOf(stage));
}
