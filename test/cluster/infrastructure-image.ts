/**
 * MariaDB with Galera, RabbitMQ and memcached as container images with Kolla's layout, built without a container
 * engine:
 *
 *   a shell and libc                                                          -> lowest layer, shared by all three
 *   Kolla's users and directories, the kolla-pod binary and its names             -> the next two, shared as well
 *   the service's programs and libc from its Debian suite, and its directories    -> topmost layers
 *
 * Shared layers are lowest, so that a node unpacks the binary once for all three. They run as the service's uid with a
 * read-only root, no capabilities and no privilege escalation; data, logs and /tmp are in volumes. The shell of the lowest layer
 * runs on the newer libc above it.
 */
import { chmod, glob, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { must } from '../../tools/process.ts';
import { unpackedPackages } from '../../tools/debian.ts';
import { imagesTar, layerOfDirectory, type Image, type Layer } from '../../tools/image.ts';
import { BASE_PACKAGES, helperEntries, kollaEnv } from './keystone-image.ts';
import { kollaEntries, KOLLA_USERS } from './kolla-layout.ts';
import {
  galeraVersion,
  mariadbSource,
  rabbitmqSource,
  rabbitmqVersion,
  type GaleraVersion,
  type RabbitmqVersion,
} from './server-versions.ts';
import { tarOf, type TarEntry } from '../../tools/tar.ts';

/**
 * The service's name in the catalogue; for upgrades also the MariaDB of OpenStack's earlier releases, and each RabbitMQ.
 */
export type InfrastructureName =
  | 'mariadb'
  | 'mariadb-before'
  | 'rabbitmq'
  | `rabbitmq-${RabbitmqVersion}`
  | 'memcached';

interface Recipe {
  /** The user, as in Kolla's base image. */
  readonly user: string;
  readonly trees: () => Promise<readonly string[]>;
  /** Directories that the user owns. */
  readonly directories: readonly string[];
  /** Links that Debian's alternatives normally create, with their targets. */
  readonly links?: readonly (readonly [string, string])[];
}

const OWN_LIBC = { except: ['libc6'] };
const VERSION_BEFORE = '10.11';
const MARIADB: Recipe = {
  user: 'mysql',
  trees: () => mariadbTrees(galeraVersion()),
  directories: ['etc/mysql/', 'var/lib/mysql/', 'run/mysqld/'],
  links: [['usr/bin/awk', 'mawk']],
};
const rabbitmqOf = (version: () => RabbitmqVersion): Recipe => ({
  user: 'rabbitmq',
  trees: async () => {
    const { suite, packages } = rabbitmqSource(version());
    return [await unpackedPackages('rabbitmq', packages, { suite })];
  },
  directories: ['etc/rabbitmq/', 'var/lib/rabbitmq/', 'var/log/rabbitmq/'],
});
const RECIPES: Readonly<Record<InfrastructureName, Recipe>> = {
  rabbitmq: rabbitmqOf(rabbitmqVersion),
  'rabbitmq-3.10': rabbitmqOf(() => '3.10'),
  'rabbitmq-4.0': rabbitmqOf(() => '4.0'),
  'rabbitmq-4.3': rabbitmqOf(() => '4.3'),
  mariadb: MARIADB,
  'mariadb-before': { ...MARIADB, trees: () => mariadbTrees(VERSION_BEFORE) },
  memcached: {
    user: 'memcached',
    trees: async () => [await unpackedPackages('memcached', ['memcached'], OWN_LIBC)],
    directories: [],
  },
};

/** Files of dependencies that none of the three opens. */
const UNUSED = [
  'usr/share/{bash-completion,doc,doc-base,icons,info,lintian,locale,man,perl,perl5,zoneinfo}',
  'usr/lib/*-linux-gnu/{perl,perl-base,perl5,libperl.*,gconv}',
  'usr/lib/{systemd,udev,python3*}',
  'usr/bin/{perl*,mariadbd-multi,mysqld_multi,python3*}',
  'usr/bin/{aria_*,innochecksum,mariadbd-safe-helper,myisam*}',
  'usr/lib/mysql/plugin/{ha_*,handlersocket*}',
];
const RECIPE_VERSION = '2';
const USUAL: readonly InfrastructureName[] = ['mariadb', 'rabbitmq', 'memcached'];

/** Tested by building their root file systems; the rest is writing files. */
export const canBuildInfrastructureImages: Capability = async () => {
  try {
    for (const name of USUAL) await programsOf(name);
    return undefined;
  } catch (error) {
    return `MariaDB's, RabbitMQ's and memcached's images can't be made here: ${messageOf(error)}`;
  }
};

/** The root file systems of their layers, whose names depend on their content. */
export async function infrastructureTrees(): Promise<string[]> {
  return [await base(), ...(await Promise.all(USUAL.map(programsOf)))];
}

/** Writes one of them. @returns the name to use in a pod's `image:` */
export async function infrastructureImage(
  name: InfrastructureName,
  file: string,
  { binary, reference }: { readonly binary: string; readonly reference: string },
): Promise<string> {
  await infrastructureImages(file, { [name]: reference }, binary);
  return reference;
}

/**
 * Writes images as one docker-archive.
 * @param references their names in a pod's `image:`
 * @param binary the kolla-pod binary to include; by default the images have none, as Kolla publishes them
 */
export async function infrastructureImages(
  file: string,
  references: Readonly<Partial<Record<InfrastructureName, string>>>,
  binary?: string,
): Promise<void> {
  const shared: readonly Layer[] = [
    layerOfDirectory(await base(), ['--owner=0', '--group=0']),
    tarOf(kollaEntries(KOLLA_USERS)),
    tarOf(await helperEntries(binary)),
  ];
  const images: Image[] = [];
  for (const [name, reference] of Object.entries(references) as [InfrastructureName, string][])
    images.push({ reference, layers: [...shared, ...(await ownLayers(name))], env: kollaEnv(name) });
  await imagesTar(file, images);
}

async function mariadbTrees(version: GaleraVersion): Promise<string[]> {
  const { suite, packages, scripts, backup } = mariadbSource(version);
  return [
    await unpackedPackages('galera', packages, { suite }),
    // The server's own package has the scripts of a state transfer; it depends on all of Perl.
    await unpackedPackages('galera-scripts', scripts, { dependencies: false, suite }),
    await unpackedPackages('galera-backup', backup, { suite }),
  ];
}

async function ownLayers(name: InfrastructureName): Promise<Layer[]> {
  const { user, directories, links = [] } = RECIPES[name];
  const id = KOLLA_USERS[user] ?? 0;
  const own: TarEntry[] = [
    ...directories.map((directory) => ({ name: directory, mode: 0o755, uid: id, gid: id })),
    ...links.map(([link, to]) => ({ name: link, mode: 0o777, link: to })),
  ];
  return [layerOfDirectory(await programsOf(name), ['--owner=0', '--group=0']), tarOf(own)];
}

/** The root file system of the lowest layer, world-readable like a container's /; the cache's directory is private. */
async function base(): Promise<string> {
  // libstdc++ is the only dependency of the binary besides libc.
  const trees = [
    await unpackedPackages('image-base', BASE_PACKAGES),
    await unpackedPackages('image-libstdc', ['libstdc++6'], OWN_LIBC),
  ];
  return await cached('image-base-open', [RECIPE_VERSION, ...trees.map((tree) => basename(tree))], async (root) => {
    for (const tree of trees) await must('cp', ['-al', '--remove-destination', `${tree}/.`, root]);
    await prune(root);
    await chmod(root, 0o755);
  });
}

/** The programs of a service, and their dependencies that the base lacks. */
async function programsOf(name: InfrastructureName): Promise<string> {
  const trees = await RECIPES[name].trees();
  return await cached(
    `${name}-image`,
    [RECIPE_VERSION, ...trees.map((tree) => basename(tree)), ...UNUSED],
    async (root) => {
      // All packages are from one release, so a file that two of them contain is equal in both.
      for (const tree of trees) await must('cp', ['-al', '--remove-destination', `${tree}/.`, root]);
      await prune(root);
      // A lower layer has these files, with Kolla's users.
      for (const file of ['etc/passwd', 'etc/group']) await rm(join(root, file), { force: true });
      await chmod(root, 0o755);
    },
  );
}

async function prune(root: string): Promise<void> {
  for await (const path of glob(UNUSED, { cwd: root })) await rm(join(root, path), { recursive: true, force: true });
}
