import { dirname } from 'node:path';
import { isWithin } from '../../fs/within.ts';
import { hasMagic } from '../glob.ts';
import type { ConfigOptions } from '../index.ts';
import type { Document } from '../schema.ts';
import { sourcePath } from '../sources.ts';

/**
 * The paths whose content decides what is put in place: the config directory, a config.json that lies elsewhere, and every
 * source outside of it, also of a password; of a pattern, the directory that it begins in. None lies within another; in a stable order.
 */
export function followedPaths(
  document: Document | undefined,
  { configDir, configFile, overlay }: Pick<ConfigOptions, 'configDir' | 'configFile' | 'overlay'>,
): string[] {
  const sources = (document?.config_files ?? []).map(({ source }) => plainPart(sourcePath(source, configDir)));
  const all = [
    configDir,
    ...(configFile === undefined ? [] : [configFile]),
    ...sources,
    ...(overlay?.sources ?? []),
  ].map(withoutEndSlash);
  const distinct = [...new Set(all)].toSorted();
  return distinct.filter((path) => !distinct.some((other) => other !== path && isWithin(other, path)));
}

function plainPart(pattern: string): string {
  if (!hasMagic(pattern)) return pattern;
  const segments = pattern.split('/');
  const plain = segments.slice(
    0,
    segments.findIndex((segment) => hasMagic(segment)),
  );
  return plain.join('/') || '/';
}

function withoutEndSlash(path: string): string {
  return path === '/' ? path : path.replace(/\/+$/, '') || dirname(path);
}
