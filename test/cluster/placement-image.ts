/**
 * Placement as a container image with Kolla's layout, built without a container engine:
 *
 *   all layers of Keystone's image, which a node with that image does not unpack again
 *     -> the difference to Placement's tree, and Placement's own directories           -> topmost layers
 *
 * So it contains an unused Keystone; Kolla's images of both share only Python. It runs as uid 42482 with
 * a read-only root, no capabilities and no privilege escalation, with volumes for /etc/placement, /var/log/kolla and
 * /tmp.
 */
import { chmod, link, lstat, mkdir, readdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { layerOfDirectory, type Image, type Layer } from '../../tools/image.ts';
import { kollaEnv, keystoneRootfs } from './keystone-image.ts';
import { PLACEMENT_UID } from './kolla-layout.ts';
import { placementTree } from './placement-tree.ts';
import { tarOf } from '../../tools/tar.ts';

/** Tested by building the layers above Keystone's image; the rest is writing one file. */
export const canBuildPlacementImage: Capability = async () => {
  try {
    await placementLayer();
    return undefined;
  } catch (error) {
    return `Placement's image can't be built here: ${messageOf(error)}`;
  }
};

/**
 * The image based on Keystone's.
 * @param keystone the layers of Keystone's image, which may be in the same archive
 */
export async function placementOn(keystone: readonly Layer[], reference: string): Promise<Image> {
  const owner = { uid: PLACEMENT_UID, gid: PLACEMENT_UID };
  return {
    reference,
    layers: [
      ...keystone,
      layerOfDirectory(await placementLayer(), ['--owner=0', '--group=0']),
      tarOf([
        { name: 'etc/placement/', mode: 0o755, ...owner },
        { name: 'var/lib/placement/', mode: 0o755, ...owner },
      ]),
    ],
    env: kollaEnv('placement'),
  };
}

/** The difference between Placement's tree and Keystone's root file system. */
export async function placementLayer(): Promise<string> {
  const [tree, base] = [await placementTree(), await keystoneRootfs()];
  return await cached('placement-layer', [basename(tree), basename(base)], async (layer) => {
    for (const entry of await readdir(tree, { recursive: true, withFileTypes: true })) {
      const path = relative(tree, join(entry.parentPath, entry.name));
      if (entry.isDirectory() || (await lstat(join(base, path)).catch(() => undefined)) !== undefined) continue;
      await mkdir(dirname(join(layer, path)), { recursive: true });
      await link(join(tree, path), join(layer, path));
    }
    await chmod(layer, 0o755);
  });
}
