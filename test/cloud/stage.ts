/**
 * The cluster of `make cloud`: a control node with its taint and two compute nodes, the images of a release, Elasticsearch
 * in the nodes' network, and volumes for the charts' claims.
 */
import type { Addresses } from '../../build/docs/support.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { startCeph, type Ceph } from '../cluster/ceph.ts';
import { startElasticsearch, type Elasticsearch } from '../cluster/elasticsearch.ts';
import { KOLLA_USERS } from '../cluster/kolla-layout.ts';
import { makeClaimVolume, startNode, type KubeNode } from '../cluster/kubernetes/index.ts';
import { layCables, removeGuestsCgroups } from './guest/cables.ts';
import { writeImages } from './images.ts';
import type { Timeline } from './timeline.ts';

export const NAMESPACE = 'openstack';
export const CONTROL_NODE = 'node1';
export const COMPUTE_NODES = ['node2', 'node3'] as const;
/** The node labels that k8s/examples/cloud/globals.yml selects. */
const LABELS = { control: 'openstack-control-plane=enabled', compute: 'openstack-compute-node=enabled' };
const TAINT = 'node-role.kubernetes.io/control-plane:NoSchedule';
const STORAGE_CLASS = 'cloud';
/** The claims of the charts, with the owner of each. */
const CLAIMS = {
  'data-mariadb-0': 'mysql',
  'data-mariadb-1': 'mysql',
  'data-mariadb-2': 'mysql',
  'data-rabbitmq-0': 'rabbitmq',
  'data-rabbitmq-1': 'rabbitmq',
  'data-rabbitmq-2': 'rabbitmq',
  'glance-api-images': 'glance',
  'volumes-cinder-volume-0': 'cinder',
};

export interface Stage extends AsyncDisposable {
  readonly node: KubeNode;
  readonly addresses: Addresses;
  readonly elasticsearch: Elasticsearch;
  /** Private, removed at the end. */
  readonly directory: string;
  readonly release: string;
  /** An external Ceph in the nodes' network; undefined without guests. */
  readonly storage: Ceph | undefined;
  /** kubectl in the namespace. */
  readonly kubectl: (args: readonly string[], input?: string) => Promise<string>;
  /** A port of this machine's 127.0.0.1 that leads to a Service's. */
  reach(service: string, port: number): Promise<number>;
}

export interface StageOptions {
  /** Whether the images contain kolla-pod. Default: true. */
  readonly isBaked?: boolean;
  /** Registries that the nodes pull from over http, HOST:PORT. */
  readonly registries?: readonly string[];
  /** The addresses of nodes, Pods and Services. Default: IPv4. */
  readonly addresses?: Addresses;
  /** Whether virtual machines run, with what that needs on the nodes. Default: false; stand-ins take their place. */
  readonly hasGuests?: boolean;
}

export async function setStage(
  release: string,
  timeline: Timeline,
  { isBaked = true, registries = [], addresses = 'IPv4', hasGuests = false }: StageOptions = {},
): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await privateDirectory('cloud'));
  const archives = await timeline.step('images written', () => writeImages(directory, release, { isBaked, hasGuests }));
  if (hasGuests) stack.defer(removeGuestsCgroups);
  const node = stack.use(
    await timeline.step('three nodes with DNS', () => startNode({ dns: true, further: 2, registries, addresses })),
  );
  if (hasGuests) stack.use(await layCables(node));
  await timeline.step('images imported', async () => {
    await Promise.all([
      node.importImage(archives.infrastructure, [CONTROL_NODE]),
      node.importImage(archives.openstack),
    ]);
  });
  const [command, args] = node.inside('env', []);
  const storage = hasGuests
    ? stack.use(await timeline.step('Ceph', () => startCeph({ address: node.address, place: node.inside })))
    : undefined;
  const elasticsearch = stack.use(
    await timeline.step('Elasticsearch', () =>
      startElasticsearch({ host: node.address, port: 9200, launcher: [command, ...args] }),
    ),
  );
  await node.kubectl(['label', 'node', CONTROL_NODE, LABELS.control]);
  await node.kubectl(['label', 'node', ...COMPUTE_NODES, LABELS.compute]);
  await node.kubectl(['taint', 'node', CONTROL_NODE, TAINT]);
  for (const [claim, user] of Object.entries(CLAIMS)) {
    const uid = KOLLA_USERS[user] ?? 0;
    await makeClaimVolume(node, directory, { namespace: NAMESPACE, claim, uid, storageClass: STORAGE_CLASS });
  }
  await node.kubectl(['create', 'namespace', NAMESPACE]);
  // nova-compute's and the agents' Pods are not restricted.
  await node.kubectl(['label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/enforce=privileged']);
  const ports = new Map<string, Promise<number>>();
  const kubectl: Stage['kubectl'] = (words, input) => node.kubectl(['--namespace', NAMESPACE, ...words], input);
  const forward = async (service: string, port: number) => {
    const address = await kubectl(['get', `service/${service}`, '--output=jsonpath={.spec.clusterIP}']);
    return await node.reach(port, address);
  };
  const kept = stack.move();
  return {
    node,
    addresses,
    elasticsearch,
    directory,
    release,
    storage,
    kubectl,
    reach: (service, port) => {
      const key = `${service}:${port}`;
      const found = ports.get(key) ?? forward(service, port);
      ports.set(key, found);
      return found;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
