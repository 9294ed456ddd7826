/**
 * Environment for a Keystone Pod on a real node:
 *
 *   binary + Keystone's and Placement's images -> node -> MariaDB, memcached and Elasticsearch in the node's network, at its
 *   address
 *     -> a namespace that enforces `restricted`, with k8s/examples/keystone in it
 *
 * All assertions are based on answers of the API server, the database and Elasticsearch.
 */
import { chown, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { podBinary } from '../cluster/pod-binary.ts';
import { canRunElasticsearch, startElasticsearch, type Elasticsearch } from '../cluster/elasticsearch.ts';
import { kollaEnv, keystoneLayers, KEYSTONE_UID } from '../cluster/keystone-image.ts';
import { canRunKeystone } from '../cluster/keystone.ts';
import { canRunNode, startNode, type KubeNode } from '../cluster/kubernetes/index.ts';
import { canRunMariadb, startMariadb, type Mariadb } from '../cluster/mariadb.ts';
import { canRunMemcached, launchMemcached } from '../cluster/memcached.ts';
import { canBuildPlacementImage, placementOn } from '../cluster/placement-image.ts';
import { firstLacking } from '../../tools/capability.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { imagesTar } from '../../tools/image.ts';
import { step } from '../../tools/progress.ts';
import { until } from '../support/until.ts';

const EXAMPLES = fileURLToPath(new URL('../../k8s/examples/keystone/', import.meta.url));
const RECONFIGURE = fileURLToPath(new URL('../../k8s/examples/reconfigure/pod.yaml', import.meta.url));
/** Names that k8s/examples uses. */
export const IMAGE = 'kolla-pod.test/keystone:e2e';
const PLACEMENT_IMAGE = 'kolla-pod.test/placement:e2e';
export const ADMIN_PASSWORD = 'e2e-admin-password';

export interface Stage extends AsyncDisposable {
  readonly node: KubeNode;
  readonly mariadb: Mariadb;
  readonly elasticsearch: Elasticsearch;
}

const NEEDED = [
  canRunNode,
  canRunMariadb,
  canRunMemcached,
  canRunElasticsearch,
  canRunKeystone,
  canBuildPlacementImage,
];

/** Why this machine cannot run the stage; undefined if it can. */
export async function whyNoStage(): Promise<string | undefined> {
  return await firstLacking(NEEDED);
}

/** Starts everything, which takes about half a minute with warm caches. */
export async function setStage(): Promise<Stage> {
  await using parts = new AsyncDisposableStack();
  const directory = parts.use(await privateDirectory('e2e'));
  const { binary } = await podBinary();
  const images = join(directory.path, 'images.tar');
  await step('writes the images of Keystone and Placement', async () => {
    const layers = await keystoneLayers({ binary });
    const keystone = { reference: IMAGE, layers, env: kollaEnv('keystone') };
    await imagesTar(images, [keystone, await placementOn(layers, PLACEMENT_IMAGE)]);
  });
  const node = parts.use(await startNode({ images: [images] }));
  const mariadb = parts.use(
    await startMariadb({ address: node.address, port: 3306, launcher: (command, args) => node.inside(command, args) }),
  );
  // It listens long before the first Pod runs.
  parts.use(await launchMemcached(node.address, 11_211, [], (command, args) => node.inside(command, args)));
  const [command, launched] = node.inside('env', []);
  const elasticsearch = parts.use(
    await startElasticsearch({ host: node.address, port: 9200, launcher: [command, ...launched] }),
  );
  const kept = parts.move();
  return { node, mariadb, elasticsearch, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Manifests of k8s/examples/keystone, applied in this order. */
const MANIFESTS = ['rbac', 'config', 'job', 'deployment'] as const;

/**
 * Deploys the example into its own namespace, with `namespace` as the name of its database.
 * @param change edits each manifest's text, to break it
 */
export async function deployKeystone(stage: Stage, namespace: string, change = (text: string) => text): Promise<void> {
  const { node, mariadb } = stage;
  const apply = async (text: string) =>
    void (await node.kubectl(['--namespace', namespace, 'apply', '--filename=-'], text));
  const ownNames = (text: string) =>
    text.replaceAll('3306/keystone?', `3306/${namespace}?`).replaceAll('keystone-keys', `${namespace}-keys`);
  const manifest = async (name: string) => await readFile(join(EXAMPLES, `${name}.yaml`), 'utf8');
  await apply((await manifest('namespace')).replace('name: keystone', `name: ${namespace}`));
  await apply(keysVolume(`${namespace}-keys`, await keysDirectory(mariadb.directory, namespace)));
  await apply(secret('database-admin', mariadb.rootPassword));
  await apply(secret('keystone-admin', ADMIN_PASSWORD));
  for (const name of MANIFESTS) await apply(change(ownNames(await manifest(name))));
}

/** Deploys k8s/examples/reconfigure into its own namespace, which enforces `restricted`. */
export async function deployReconfigured({ node }: Stage, namespace: string): Promise<void> {
  const kubectl = (args: readonly string[], text?: string) => node.kubectl(['--namespace', namespace, ...args], text);
  const restricted = await readFile(join(EXAMPLES, 'namespace.yaml'), 'utf8');
  await kubectl(['apply', '--filename=-'], restricted.replace('name: keystone', `name: ${namespace}`));
  await until('the default ServiceAccount', async () => {
    return (await kubectl(['get', 'serviceaccount', '--output=name'])).includes('default') || undefined;
  });
  await kubectl(['apply', '--filename=-'], await readFile(RECONFIGURE, 'utf8'));
}

/** A directory on the node, owned by Keystone, as a volume for the keys that every replica can read. */
async function keysDirectory(directory: string, namespace: string): Promise<string> {
  const path = join(directory, `${namespace}-keys`);
  await mkdir(path, { mode: 0o750 });
  await chown(path, KEYSTONE_UID, KEYSTONE_UID);
  return path;
}

function keysVolume(name: string, path: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: { capacity: { storage: '1Mi' }, accessModes: ['ReadWriteMany'], hostPath: { path }, storageClassName: '' },
  });
}

/** A Secret that contains one password. */
export function secret(name: string, password: string): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { password } });
}
