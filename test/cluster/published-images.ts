/**
 * Stand-ins for the images that Kolla publishes, by the same names, for pages that use them where no registry can be reached:
 * Debian's MariaDB and Keystone, without kolla-pod. Like Kolla's, Keystone's has OpenStack's client, and a uWSGI that needs no
 * plugins.
 */
import { basename, join } from 'node:path';
import { imageTar, layerOfDirectory } from '../../tools/image.ts';
import { tarOf } from '../../tools/tar.ts';
import { infrastructureImages, infrastructureTrees } from './infrastructure-image.ts';
import { keystoneRootfs, kollaEnv } from './keystone-image.ts';
import { clientTree } from './keystone-tree.ts';
import type { StoredImages } from './kubernetes/index.ts';
import { unmodifiedLayers } from './pod-images.ts';
import { textsOf } from './sources.ts';

/** Debian's uWSGI has as plugins what that of PyPI, which Kolla's images have, is built with. */
const UWSGI = '#!/bin/sh\nexec /usr/bin/uwsgi --plugins http,python3 "$@"\n';

/** @param reference the name of an image: `quay.io/openstack.kolla/keystone:TAG` */
export async function publishedImages(reference: (name: string) => string): Promise<StoredImages> {
  const trees = [await keystoneRootfs(), await clientTree(), ...(await infrastructureTrees())];
  const recipes = ['published-images', 'keystone-image', 'infrastructure-image', 'kolla-layout'];
  return {
    madeFrom: [
      ...trees.map((tree) => basename(tree)),
      reference(''),
      ...textsOf(recipes.map((name) => `test/cluster/${name}.ts`)),
    ],
    write: async (directory) => {
      const [keystone, mariadb] = [join(directory, 'keystone.tar'), join(directory, 'mariadb.tar')];
      await infrastructureImages(mariadb, { mariadb: reference('mariadb-server') });
      await imageTar(keystone, {
        reference: reference('keystone'),
        layers: [
          ...(await unmodifiedLayers()),
          layerOfDirectory(await clientTree(), ['--owner=0', '--group=0']),
          tarOf([{ name: 'var/lib/kolla/venv/bin/uwsgi', mode: 0o755, content: UWSGI }]),
        ],
        env: kollaEnv('keystone'),
      });
      return [mariadb, keystone];
    },
  };
}
