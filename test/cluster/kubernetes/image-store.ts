/**
 * Images that several test files need on their nodes, imported once:
 *
 *   archives -> a containerd without a cluster, which unpacks them -> its directory, in the cache
 *     -> a node's containerd starts with a copy of it: links, except for the databases
 *
 * Unpacking takes a node's containerd as long as all Pods of the charts take it.
 */
import { glob, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../../../tools/cache.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { must } from '../../../tools/process.ts';
import { PLACE, removeOld } from '../../support/bundled.ts';
import { textsOf } from '../sources.ts';
import { testbox } from './binaries.ts';
import { importImage, startContainerd, testboxImage } from './containerd.ts';
import { makeNamespaces, signalInside } from './namespaces.ts';
import { nodePackages } from './packages.ts';

const RECIPE = ['image-store', 'containerd'].map((name) => `test/cluster/kubernetes/${name}.ts`);

export interface StoredImages {
  /** Everything that the archives depend on. */
  readonly madeFrom: readonly string[];
  /** Writes docker-archives into a directory. Returns their paths. */
  readonly write: (directory: string) => Promise<readonly string[]>;
}

/** Copies a store with these images, and with TESTBOX_IMAGE, to where a containerd will have its root. */
export async function copyStore(images: StoredImages, root: string): Promise<void> {
  const store = join(await imageStore(images), 'root');
  await mkdir(join(root, '..'), { recursive: true });
  await must('cp', ['-a', '--link', store, root]).catch(async () => {
    // On another file system there are no links.
    await rm(root, { recursive: true, force: true });
    await must('cp', ['-a', store, root]);
  });
  // Layers and blobs are only read, but databases are written.
  for await (const name of glob('*/*.db', { cwd: store }))
    await must('cp', ['-a', '--remove-destination', join(store, name), join(root, name)]);
}

async function imageStore({ madeFrom, write }: StoredImages): Promise<string> {
  return await cached(
    'image-store',
    [...textsOf(RECIPE), ...madeFrom],
    async (into) => {
      removeOld();
      await using directory = await privateDirectory('images');
      const { path } = directory;
      const [helper, packages] = [await testbox(), await nodePackages(path)];
      await using namespaces = await makeNamespaces(path, packages.env, helper);
      await mkdir(join(path, 'log'));
      const site = { directory: path, kube: '', env: packages.env, place: namespaces.inNode };
      const { running } = await startContainerd(site, packages.cni);
      for (const file of [await testboxImage(path, helper), ...(await write(path))]) await importImage(site, file);
      await signalInside(running.pid, 'SIGTERM');
      await running.ended;
      await must('mv', [join(path, 'containerd/root'), join(into, 'root')]);
    },
    PLACE,
  );
}
