import { stat } from 'node:fs/promises';
import { mountPoints } from '../mount-points.ts';
import { isWithin } from '../../fs/within.ts';

/**
 * Files at these paths that are mounted themselves (by subPath, or a single file for docker): a new version takes their place
 * in the volume, and this container goes on seeing the old one.
 */
export async function frozenFiles(paths: readonly string[]): Promise<string[]> {
  const inside = [...mountPoints()].filter((point) => paths.some((path) => isWithin(path, point)));
  const found = await Promise.all(
    inside.map(async (point) => ((await stat(point).catch(() => undefined))?.isFile() ? [point] : [])),
  );
  return found.flat();
}
