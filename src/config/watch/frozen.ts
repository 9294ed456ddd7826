import { stat } from 'node:fs/promises';
import { mountPoints } from '../mount-points.ts';
import { isWithin } from '../../fs/within.ts';

/**
 * Files at these paths that are mounts themselves (subPath, or a single file in docker): a new version replaces them in
 * the volume, and this container keeps seeing the old one.
 */
export async function frozenFiles(paths: readonly string[]): Promise<string[]> {
  const inside = [...mountPoints()].filter((point) => paths.some((path) => isWithin(path, point)));
  const found = await Promise.all(
    inside.map(async (point) => ((await stat(point).catch(() => undefined))?.isFile() ? [point] : [])),
  );
  return found.flat();
}
