/**
 * The images of a release, as docker-archives for a node, built without a container engine:
 *
 *   Debian's tree, the release's tree, Kolla's users, kolla-pod -> layers shared by all images of OpenStack
 *   a stand-in for what needs a kernel or hardware             -> one more, in the images that have one
 *   with guests: guest/layers.ts -> in place of the stand-ins, libvirt, Open vSwitch and what the agents call
 *   test/cluster/infrastructure-image.ts                       -> MariaDB, RabbitMQ, memcached
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOTLESS_NAMES } from '../../build/names.ts';
import { imagesTar, layerOfDirectory, type Image, type Layer } from '../../tools/image.ts';
import { tarOf, type TarEntry } from '../../tools/tar.ts';
import { infrastructureImages } from '../cluster/infrastructure-image.ts';
import { helperEntries, kollaEnv } from '../cluster/keystone-image.ts';
import { KOLLA_USERS, kollaEntries } from '../cluster/kolla-layout.ts';
import { podBinary } from '../cluster/pod-binary.ts';
import { agentLayer, hypervisorLayer, switchLayer } from './guest/layers.ts';
import { switchScripts } from './guest/switch-scripts.ts';
import { cephLayer } from './trees/ceph.ts';
import { debianTree, pythonOf } from './trees/debian.ts';
import { releaseTree } from './trees/release.ts';

export const REGISTRY = 'kolla-pod.test';
const STAND_INS = fileURLToPath(new URL('stand-ins/', import.meta.url));
const VENV = 'var/lib/kolla/venv';
const OWNED_BY_ROOT = ['--owner=0', '--group=0'];

/** Images of Pods with root on compute nodes: they keep the sudo of Kolla's images, which only guests need. */
const COMPUTE = ['nova-compute', 'neutron-openvswitch-agent'] as const;
/** More of them, where guests run. */
const AGENTS = ['neutron-dhcp-agent', 'neutron-l3-agent', 'neutron-metadata-agent'] as const;
const CONTROL =
  'keystone placement-api glance-api nova-api nova-scheduler nova-conductor nova-novncproxy neutron-server cinder-api cinder-scheduler cinder-volume heat-api heat-api-cfn heat-engine horizon'.split(
    ' ',
  );
/** Where guests run, these have Ceph's clients. */
const STORING: ReadonlySet<string> = new Set(['cinder-backup', 'cinder-volume', 'glance-api', 'nova-compute']);
const INFRASTRUCTURE = { mariadb: 'mariadb-server', rabbitmq: 'rabbitmq', memcached: 'memcached' } as const;
const SERVICES = ['cinder', 'glance', 'heat', 'horizon', 'keystone', 'neutron', 'nova', 'placement'];

export interface Archives {
  /** MariaDB, RabbitMQ, memcached: for the control node. */
  readonly infrastructure: string;
  /** Every service of OpenStack; their layers are the same, so a node may have all. */
  readonly openstack: string;
}

export interface ImageOptions {
  readonly isBaked?: boolean;
  readonly hasGuests?: boolean;
}

/**
 * Writes a release's images into a directory.
 * @param isBaked whether they contain kolla-pod; otherwise a chart delivers it
 * @param hasGuests whether the images of hypervisor, switch and agents are real, in place of stand-ins
 */
export async function writeImages(
  directory: string,
  release: string,
  { isBaked = true, hasGuests = false }: ImageOptions = {},
): Promise<Archives> {
  const built = isBaked ? await podBinary() : undefined;
  const reference = (name: string) => `${REGISTRY}/${name}:${release}`;
  const infrastructure = join(directory, `infrastructure-${release}.tar`);
  const names = Object.entries(INFRASTRUCTURE).map(([name, image]) => [name, reference(image)]);
  await infrastructureImages(infrastructure, Object.fromEntries(names), built?.binary);
  const openstack = join(directory, `openstack-${release}.tar`);
  const shared = await sharedLayers(release, built?.binary);
  // kolla-core, as installed: Cinder limits a command's address space to 1 GiB, in which Node does not start.
  const rootless = built && [
    tarOf(ROOTLESS_NAMES.map((name) => ({ name: `usr/local/bin/${name}`, mode: 0o777, link: 'kolla-core' }))),
  ];
  const standIns = await standInsOf(await pythonOf(await debianTree()), hasGuests);
  const image = (name: string, layers: readonly Layer[]): Image => {
    const own = standIns.get(name);
    return {
      reference: reference(name),
      layers: [...shared, ...layers, ...(own ? [tarOf([own])] : [])],
      // On SIGHUP uWSGI executes its program again, which is Python for a wheel, and must be that of the environment.
      env: { ...kollaEnv(name), UWSGI_BINARY_PATH: `/${VENV}/bin/python3` },
    };
  };
  const agents = hasGuests ? [layerOfDirectory(await agentLayer(), OWNED_BY_ROOT)] : [];
  const ceph = hasGuests ? [layerOfDirectory(await cephLayer(), OWNED_BY_ROOT)] : [];
  const storing = (name: string) => (STORING.has(name) ? ceph : []);
  await imagesTar(openstack, [
    ...[...CONTROL, ...(hasGuests ? ['cinder-backup'] : [])].map((name) =>
      image(name, [...storing(name), ...(rootless ?? [])]),
    ),
    ...[...COMPUTE, ...(hasGuests ? AGENTS : [])].map((name) => image(name, [...storing(name), ...agents])),
    ...(hasGuests ? await hostImages(reference, built?.binary) : []),
  ]);
  return { infrastructure, openstack };
}

/** The images of libvirt and Open vSwitch. */
async function hostImages(reference: (name: string) => string, binary: string | undefined): Promise<Image[]> {
  const above = [tarOf(kollaEntries(KOLLA_USERS)), tarOf(await helperEntries(binary))];
  const [debian, hypervisor, switched] = [await debianTree(), await hypervisorLayer(), await switchLayer()].map(
    (tree) => layerOfDirectory(tree, OWNED_BY_ROOT),
  );
  const image = (name: string, layers: readonly Layer[]): Image => ({
    reference: reference(name),
    layers,
    env: kollaEnv(name),
  });
  const switches = (['openvswitch-db-server', 'openvswitch-vswitchd'] as const).map(async (name) =>
    image(name, [switched!, ...above, tarOf(await switchScripts(name))]),
  );
  return [image('nova-libvirt', [debian!, ...above, hypervisor!]), ...(await Promise.all(switches))];
}

/** The layers of all images of OpenStack, from lowest to topmost. */
async function sharedLayers(release: string, binary: string | undefined): Promise<readonly Layer[]> {
  const directories = SERVICES.flatMap((name) => {
    const id = KOLLA_USERS[name] ?? 0;
    return ['etc', 'var/lib'].map((place) => ({ name: `${place}/${name}/`, mode: 0o755, uid: id, gid: id }));
  });
  return [
    layerOfDirectory(await debianTree(), OWNED_BY_ROOT),
    layerOfDirectory(await releaseTree(release), OWNED_BY_ROOT),
    tarOf([...kollaEntries(KOLLA_USERS), ...directories]),
    tarOf(await helperEntries(binary)),
  ];
}

/** Stand-ins for the parts that a cloud lacks, by image. */
async function standInsOf(python: string, hasGuests: boolean): Promise<ReadonlyMap<string, TarEntry>> {
  const content = async (file: string) => await readFile(join(STAND_INS, file));
  if (hasGuests) return new Map();
  return new Map([
    [
      'cinder-volume',
      {
        name: `${VENV}/lib/${python}/site-packages/file_volumes.py`,
        mode: 0o644,
        content: await content('file_volumes.py'),
      },
    ],
    [
      'neutron-openvswitch-agent',
      { name: `${VENV}/bin/neutron-openvswitch-agent`, mode: 0o755, content: await content('l2_agent.py') },
    ],
  ]);
}
