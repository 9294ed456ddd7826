/**
 * The stage of `make aio`:
 *
 *   binary -> five images, imported once -> node with DNS -> Elasticsearch in the node's network -> volumes for the charts' claims
 *   charts packaged into a working directory -> docs/start/quickstart.md and docs/start/aio.md, whose commands run there
 *
 * All assertions use responses of the API server, Keystone, MariaDB or Elasticsearch.
 */
import { symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageChart } from '../../build/charts.ts';
import { podBinary } from '../cluster/pod-binary.ts';
import { canRunElasticsearch, startElasticsearch, type Elasticsearch } from '../cluster/elasticsearch.ts';
import { canRunHelm, helmBinary } from '../../tools/helm.ts';
import {
  canBuildInfrastructureImages,
  infrastructureImages,
  infrastructureTrees,
} from '../cluster/infrastructure-image.ts';
import { imagesTar } from '../../tools/image.ts';
import { keystoneLayers, keystoneRootfs, kollaEnv } from '../cluster/keystone-image.ts';
import { KOLLA_USERS } from '../cluster/kolla-layout.ts';
import {
  canBuildCoredns,
  canRunNode,
  makeClaimVolume,
  startNode,
  type KubeNode,
  type NodeOptions,
  type StoredImages,
} from '../cluster/kubernetes/index.ts';
import { canBuildPlacementImage, placementLayer, placementOn } from '../cluster/placement-image.ts';
import { textsOf } from '../cluster/sources.ts';
import { openPage, type Page } from '../e2e/page.ts';
import { importsOf, reachedFrom } from '../runner/changed.ts';
import { firstLacking } from '../../tools/capability.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { step } from '../../tools/progress.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const REGISTRY = 'kolla-pod.test';
export const NAMESPACE = 'openstack';
export const CHARTS = ['mariadb', 'rabbitmq', 'memcached', 'keystone', 'placement'] as const;

export interface Aio extends AsyncDisposable {
  readonly node: KubeNode;
  readonly elasticsearch: Elasticsearch;
  /** The page docs/start/quickstart.md. */
  readonly quickstart: Page;
  /** The page docs/start/aio.md. */
  readonly page: Page;
  /** The working directory of the pages' commands, with dist/charts, k8s and, once it was created, passwords.yml. */
  readonly directory: string;
}

/** A node with DNS, Helm, and the images. */
const NEEDED = [canRunNode, canBuildCoredns, canRunHelm, canBuildPlacementImage, canBuildInfrastructureImages];

/** Why this machine cannot run charts on a node; undefined if it can. */
export async function whyNoCharts(): Promise<string | undefined> {
  return await firstLacking(NEEDED);
}

/** The same for the whole stage. */
export async function whyNoAio(): Promise<string | undefined> {
  return await firstLacking([...NEEDED, canRunElasticsearch]);
}

/**
 * Starts everything except the charts, which takes about a minute with warm caches. Elasticsearch listens on the last of the
 * node's addresses.
 */
export async function setAio(network: Pick<NodeOptions, 'addresses'> = {}): Promise<Aio> {
  await using parts = new AsyncDisposableStack();
  const { path: directory } = parts.use(await privateDirectory('aio'));
  const stored = await aioImages();
  const node = parts.use(await startNode({ ...network, stored, dns: true }));
  const [command, launched] = node.inside('env', []);
  const elasticsearch = parts.use(
    await startElasticsearch({ host: node.addresses.at(-1)!, port: 9200, launcher: [command, ...launched] }),
  );
  for (const name of ['mariadb', 'rabbitmq'] as const)
    await makeVolume(node, directory, { namespace: NAMESPACE, name });
  for (const chart of CHARTS) packageChart(chart, join(directory, 'dist/charts'));
  await symlink(join(ROOT, 'k8s'), join(directory, 'k8s'));
  const programs = { helm: await helmBinary(), 'kolla-pod': (await podBinary()).binary };
  const options = { programs, cwd: directory };
  const quickstart = parts.use(await openPage({ node }, 'start/quickstart', options));
  const page = parts.use(await openPage({ node }, 'start/aio', options));
  const kept = parts.move();
  return { node, elasticsearch, quickstart, page, directory, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** The images of the charts, which are imported once for all files that use them. */
export async function aioImages(): Promise<StoredImages> {
  const { directory } = await step('builds the binary', podBinary);
  const trees = [directory, await keystoneRootfs(), await placementLayer(), ...(await infrastructureTrees())];
  // The name of the binary's directory depends on all others.
  const recipes = [...reachedFrom('test/aio/stage.ts', importsOf)].filter((file) => /^test\/.*\.ts$/.test(file));
  return { madeFrom: [...trees.map((tree) => basename(tree)), ...textsOf(recipes.toSorted())], write: writeImages };
}

/** Keystone's image has the tags of several releases: the tests concern the upgrade itself. */
async function writeImages(directory: string): Promise<string[]> {
  const { binary } = await podBinary();
  const reference = (name: string) => `${REGISTRY}/${name}:zed`;
  const layers = await keystoneLayers({ binary });
  const [openstack, infrastructure] = [join(directory, 'openstack.tar'), join(directory, 'infrastructure.tar')];
  await imagesTar(openstack, [
    {
      reference: reference('keystone'),
      // For the operator: those that its objects know.
      otherReferences: ['zed-2', '2025.1', '2025.2'].map((tag) => `${REGISTRY}/keystone:${tag}`),
      layers,
      env: kollaEnv('keystone'),
    },
    await placementOn(layers, reference('placement-api')),
  ]);
  const names = { mariadb: 'mariadb-server', rabbitmq: 'rabbitmq', memcached: 'memcached' };
  const references = Object.fromEntries(Object.entries(names).map(([name, image]) => [name, reference(image)]));
  await infrastructureImages(infrastructure, references, binary);
  return [infrastructure, openstack];
}

const USERS = { mariadb: 'mysql', rabbitmq: 'rabbitmq' } as const;

/** A directory on the node for the claim of a StatefulSet's Pod. */
export async function makeVolume(
  node: KubeNode,
  directory: string,
  { namespace, name, ordinal = 0 }: { namespace: string; name: keyof typeof USERS; ordinal?: number },
): Promise<void> {
  const uid = KOLLA_USERS[USERS[name]] ?? 0;
  await makeClaimVolume(node, directory, { namespace, claim: `data-${name}-${ordinal}`, uid, storageClass: 'aio' });
}
