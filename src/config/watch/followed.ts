import { dirname } from 'node:path';
import { isWithin } from '../../fs/within.ts';
import { splitAtMagic } from '../tree/glob.ts';
import type { ConfigOptions } from '../index.ts';
import type { Document } from '../read/schema.ts';
import { sourcePath } from '../read/sources.ts';

/**
 * The paths whose content determines the installed files: the config directory, a config.json elsewhere, and every
 * source outside of it, including passwords; for a pattern, its fixed parent directory. None is within another; in a stable order.
 */
export function followedPaths(
  document: Document | undefined,
  { configDir, configFile, overlay }: Pick<ConfigOptions, 'configDir' | 'configFile' | 'overlay'>,
): string[] {
  const sources = (document?.config_files ?? []).map(({ source }) => splitAtMagic(sourcePath(source, configDir))[0]);
  const all = [
    configDir,
    ...(configFile === undefined ? [] : [configFile]),
    ...sources,
    ...(overlay?.sources ?? []),
  ].map(withoutEndSlash);
  const distinct = [...new Set(all)].toSorted();
  return distinct.filter((path) => !distinct.some((other) => other !== path && isWithin(other, path)));
}

function withoutEndSlash(path: string): string {
  return path === '/' ? path : path.replace(/\/+$/, '') || dirname(path);
}
