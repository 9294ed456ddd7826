import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Loaded } from '../read/read.ts';
import { matchesIfAny } from '../read/sources.ts';
import { TREE_VOLUME, type Layout } from './layout.ts';

const MI = 1024 * 1024;
const PAGE_BYTES = 4096;
/** Factor 2, since both the old and the new file exist during a replacement. */
const COPIES = 2;
const LEAST_MI = 16;
/** Size of /etc/SERVICE and the CA store in Kolla's images, with a margin. */
const UNKNOWN_IMAGE_MI = 64;

/**
 * Size limit of the in-memory volume: twice the size of config.json's sources and the image's content, in whole pages,
 * rounded up to a power of two. A missing source or image directory counts as empty, an unknown image as 64 MiB.
 * @returns in Kubernetes' notation: `16Mi`
 */
export function sizeLimit(loaded: Loaded, layout: Layout, imageRoot: string | undefined): string {
  let bytes = 0;
  for (const { source, dest } of loaded.document.config_files) {
    // Missing sources are reported when kolla-init runs, where it matters.
    const matches = matchesIfAny(source, dest, loaded.configDir);
    for (const match of matches) bytes += pages(statSync(match.source).size);
  }
  const seeded = layout.places.filter(({ volume, seed }) => volume === TREE_VOLUME && seed === true);
  for (const { path } of seeded) bytes += bytesIn(join(imageRoot ?? '/', path));
  const wanted = Math.max((bytes * COPIES) / MI, imageRoot === undefined ? UNKNOWN_IMAGE_MI : LEAST_MI);
  return `${2 ** Math.ceil(Math.log2(wanted))}Mi`;
}

function bytesIn(path: string): number {
  const found = lstatSync(path);
  if (!found.isDirectory()) return pages(found.isFile() ? found.size : 0);
  let bytes = PAGE_BYTES;
  for (const name of namesIn(path)) bytes += bytesIn(join(path, name));
  return bytes;
}

/** Directories that this user cannot list cannot be copied either. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function pages(bytes: number): number {
  return Math.ceil(Math.max(bytes, 1) / PAGE_BYTES) * PAGE_BYTES;
}
