import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Loaded } from '../read.ts';
import { matchesOf } from '../sources.ts';
import { TREE_VOLUME, type Layout } from './layout.ts';

const MI = 1024 * 1024;
const PAGE_BYTES = 4096;
/** For each file there is a moment at which the old one and the new one lie there. */
const COPIES = 2;
const LEAST_MI = 16;
/** What /etc/SERVICE and the store of CA certificates take in Kolla's images, with room. */
const UNKNOWN_IMAGE_MI = 64;

/**
 * How large the volume in memory may grow: twice what config.json and the image put into it, in whole pages, rounded up
 * to a power of two. A source or image directory that isn't there to be measured counts for nothing, an unknown image for
 * 64 MiB.
 * @returns as Kubernetes writes it: `16Mi`
 */
export async function sizeLimit(loaded: Loaded, layout: Layout, imageRoot: string | undefined): Promise<string> {
  let bytes = 0;
  for (const { source, dest } of loaded.document.config_files) {
    // What a source misses is found when kolla-init runs, where it matters.
    const matches = await matchesOf(source, dest, loaded.configDir).catch(() => []);
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

/** What this user may not list can't be copied either. */
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
