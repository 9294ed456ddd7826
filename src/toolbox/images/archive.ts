import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { ConfigError, reasonOf } from '../../core/errors.ts';
import { parseValues, type Values } from '../helm/helm-values.ts';

/** What a chart's archive says of its images. */
export interface Chart {
  readonly name: string;
  /** Of the library chart in it. */
  readonly library: Values;
  readonly defaults: Values;
}

const BLOCK_BYTES = 512;
/** A chart has less than a megabyte. */
const ARCHIVE_MAX_BYTES = 64 * 2 ** 20;
const [NAME, SIZE] = [
  [0, 100],
  [124, 136],
] as const;

/**
 * Reads NAME-VERSION.tgz as `make charts` and a release have it.
 * @returns undefined for an archive that is no such chart
 */
export async function readChart(file: string): Promise<Chart | undefined> {
  const files = await unpacked(file);
  const path = [...files.keys()].find((one) => /^[^/]+\/defaults\.yaml$/.test(one));
  const name = path?.split('/')[0];
  const library = files.get(`${name}/charts/kolla-pod/values.yaml`);
  if (path === undefined || name === undefined || library === undefined) return undefined;
  return {
    name,
    library: parseValues(library, `${file}: values.yaml`),
    defaults: parseValues(files.get(path) ?? '', `${file}: ${path}`),
  };
}

/** The archive's YAML files. */
async function unpacked(file: string): Promise<Map<string, string>> {
  let tar: Buffer;
  try {
    tar = gunzipSync(await readFile(file), { maxOutputLength: ARCHIVE_MAX_BYTES });
  } catch (cause) {
    throw new ConfigError(`cannot read ${file}: ${reasonOf(cause)}`, { cause });
  }
  const files = new Map<string, string>();
  for (let at = 0; at + BLOCK_BYTES <= tar.length;) {
    const text = ([from, to]: readonly [number, number]) =>
      tar.toString('latin1', at + from, at + to).replace(/\0.*/s, '');
    const [name, size] = [text(NAME), Number.parseInt(text(SIZE), 8) || 0];
    at += BLOCK_BYTES;
    if (name.endsWith('.yaml')) files.set(name, tar.toString('utf8', at, at + size));
    at += Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return files;
}
