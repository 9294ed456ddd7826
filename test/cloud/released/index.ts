/**
 * `make cloud-release`: from a release's directory to a server of OpenStack, by a site's commands alone. RELEASE, STAY and
 * EVIDENCE as for `make cloud`, whose stage, images, operations and memory it has:
 *
 *   make release, of this machine's architecture, with a new key -> a copy without the checkout, the public key next to it
 *   ../images.ts without kolla-pod, as Kolla publishes them -> ../stage.ts, with a registry in the nodes' network
 *   site.ts: a shell without the checkout; docs/how-to/releases.md: the commands
 *     -> openssl verifies -> publish.sh -> helm install oci:// of all charts; the nodes pull kolla-pod for their Pods
 *     -> openstack server create -> ../operations/server-life.ts
 *   transcript.ts: each command with its output -> report.ts, docs/evidence/release.md
 *
 * A command that fails ends the run with 1.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chartNames } from '../../../build/charts.ts';
import { canRunRegistry, skopeoFor, startRegistry } from '../../cluster/registry.ts';
import { commandOf, EXAMPLE, printedBy } from '../../cluster/release-page.ts';
import { NODE_ADDRESS } from '../../cluster/kubernetes/index.ts';
import { siteOf } from '../../cluster/site.ts';
import { assertNothingLeft, inventory } from '../checks/left-over.ts';
import { startClient } from '../client.ts';
import { setBasis } from '../operations/basis.ts';
import { serverLife } from '../operations/server-life.ts';
import { runCloud, type Cloud } from '../run.ts';
import { makeRelease, type Released } from './make.ts';
import { clientCommand } from '../stay.ts';
import { NAMESPACE } from '../stage.ts';
import { writeReport } from './report.ts';
import { Transcript } from './transcript.ts';

const PORT = 5000;
const REGISTRY = `${NODE_ADDRESS}:${PORT}`;
const TARGET = `${REGISTRY}/team/kolla-pod`;
/** Limit for one chart; on a loaded machine all take a few minutes. */
const TIMEOUT = '40m';
/** The digest of the image that each Pod's init container `kolla-pod` ran, and the number of Pods. */
const PULLED = `kubectl get pods --output=jsonpath='{range .items[*]}{.status.initContainerStatuses[?(@.name=="kolla-pod")].imageID}{"\\n"}{end}' | sort | uniq --count`;

await runCloud({
  target: 'make cloud-release',
  needed: [canRunRegistry],
  options: { isBaked: false, registries: [REGISTRY] },
  work: perform,
});

async function perform({ stage, timeline, adminOf }: Cloud): Promise<void> {
  const transcript = new Transcript();
  const made = await timeline.step('release made', () => makeRelease(stage, transcript));
  await using registry = await timeline.step('registry', () => startRegistry(stage.node, PORT));
  timeline.say(`on this machine the registry is ${registry.address}`);
  const { node, directory: own } = stage;
  const path = dirname(await skopeoFor(own, []));
  const site = await siteOf({ node, own, cwd: made.place, namespace: NAMESPACE, path });
  const type = (command: string) => transcript.type(command, (text) => site.execute(text));
  await type('ls; ls ..');
  assert.match(await type(fromPage('openssl base64')), printedBy('openssl base64'));
  await timeline.step('release published', async () => {
    assert.match(await type(fromPage('./publish.sh')), printedBy('./publish.sh'));
  });
  await type(`tar -xzf ${made.archive}.tar.gz -C ..\n../${made.archive}/bin/kolla-pod passwords ../passwords.yml`);
  const passwords = join(made.place, '../passwords.yml');
  const admin = await adminOf(passwords);
  transcript.withhold(
    [...(await readFile(passwords, 'utf8')).matchAll(/: "(\w+)"$/gm)].map(([, secret = '']) => secret),
  );
  await site.add('openstack', clientCommand(site.kubectl, admin));
  await timeline.step('all charts installed from the registry', () => installAll(type));
  await type('kubectl get pods --output=wide');
  assert.match(await type(PULLED), new RegExp(`^ *\\d+ ${TARGET}@${await digestOf(made)}\\n$`));
  const client = await timeline.step('the client runs', () => startClient(stage, admin));
  const before = await inventory(client);
  {
    await using world = await timeline.step('image, flavors and network created', () => setBasis(stage, client));
    // All columns would include the server's own password.
    const columns = '-c name -c status -c addresses';
    await type(`openstack server create --image basis --flavor basis.small --network basis --wait first ${columns}`);
    assert.match(await type('openstack server list'), /\| first +\| ACTIVE /);
    await type('openstack server delete --wait first');
    await timeline.step(serverLife.title, () => serverLife.run(world));
  }
  await timeline.step('nothing is left behind', () => assertNothingLeft(client, before));
  if (process.env['EVIDENCE'] === '1') await writeReport(stage, timeline, transcript);
}

/** A block of the page, for this registry, which has no TLS, and this site's files. */
function fromPage(text: string): string {
  return commandOf(text)
    .replaceAll(EXAMPLE, TARGET)
    .replaceAll('/etc/kolla-pod/', '../')
    .replace(/(\.\/publish\.sh \S+)/, '$1 --dest-tls-verify=false')
    .replace(
      'globals.yml --values passwords.yml',
      `globals.yml --values ../site.yml --values ../passwords.yml --plain-http --wait --timeout ${TIMEOUT}`,
    );
}

/** Installs all charts at once: each Pod waits for its dependencies. */
async function installAll(type: (command: string) => Promise<string>): Promise<string> {
  const command = fromPage('helm install');
  const names = chartNames();
  await Promise.all(
    names.map(async (name) => {
      const printed = await type(command.replaceAll('memcached', name));
      assert.match(printed, printedBy('helm install'));
    }),
  );
  return `${names.length} charts`;
}

/** The digest of the image that Pods copy kolla-pod from. */
async function digestOf({ place, version }: Released): Promise<string> {
  const { manifests } = JSON.parse(await readFile(join(place, 'oci/kolla-pod/index.json'), 'utf8')) as {
    manifests: { digest: string; annotations: Record<string, string> }[];
  };
  const image = manifests.find(({ annotations }) => annotations['org.opencontainers.image.ref.name'] === version);
  return image?.digest ?? assert.fail(`the release has no image ${version}`);
}
