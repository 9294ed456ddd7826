import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import { must } from '../../tools/process.ts';
import type { Capability } from '../../tools/capability.ts';

/** The release of Kolla with which ours is compared. */
export const KOLLA_VERSION = '22.0.0';

/** The latest release of Kolla, for what depends on the release. */
export const LATEST_KOLLA_VERSION = '23.0.0';

/** The directory `docker/` in the package `kolla`, with the scripts of every image. */
export async function kollaPackage(version: string = KOLLA_VERSION): Promise<string> {
  const place = await cached('kolla', [version], async (directory) => {
    const wheel = ['--no-deps', '--only-binary', ':all:', '--quiet', '--disable-pip-version-check'];
    await must('python3', ['-m', 'pip', 'download', ...wheel, '--dest', directory, `kolla==${version}`]);
    const file = join(directory, `kolla-${version}-py3-none-any.whl`);
    await must('python3', ['-m', 'zipfile', '-e', file, directory]);
  });
  // Since 23 it is a part of the Python package, and no longer of its data.
  const moved = join(place, 'kolla/docker');
  return existsSync(moved) ? moved : join(place, `kolla-${version}.data/data/share/kolla/docker`);
}

/** Whether the package is available: in the cache or through pip. */
export const canHaveKolla: Capability = async () => {
  return await kollaPackage().then(
    () => undefined,
    (error: unknown) => `the package kolla can't be fetched: ${String(error).slice(0, 200)}`,
  );
};
