import { followAt } from '../../fs/access.ts';
import { mountPoints } from '../../fs/mount-points.ts';
import { isWithin } from '../../fs/within.ts';

/**
 * Files at these paths that are mounts themselves (subPath, or a single file in docker): a new version replaces them in
 * the volume, and this container keeps seeing the old one.
 */
export function frozenFiles(paths: readonly string[]): string[] {
  const inside = [...mountPoints()].filter((point) => paths.some((path) => isWithin(path, point)));
  return inside.filter((point) => followAt(point)?.isFile());
}
