import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from './cache.ts';
import { must } from './process.ts';

const INDEX = 'https://index.crates.io';
const DEADLINE_MS = 10 * 60_000;

/** A package of Rust's registry, taken for the sources in it. CARGO_REGISTRY_INDEX selects another sparse index. */
export interface Crate {
  readonly name: string;
  readonly version: string;
  /** The hash in hexadecimal; an archive with a different hash is rejected. */
  readonly sha256: string;
}

/**
 * The directory with a crate's files, fetched once.
 * @param called its name in the cache
 * @throws as crateArchive()
 */
export async function unpackedCrate(called: string, crate: Crate): Promise<string> {
  return await cached(called, [crate.sha256], async (directory) => {
    const file = join(directory, 'crate.tar.gz');
    await writeFile(file, await crateArchive(crate));
    await must('tar', ['-xzf', file, '--strip-components=1'], { cwd: directory });
    await rm(file);
  });
}

/**
 * The crate's .tar.gz, from the place that the index states for downloads.
 * @throws Error with the crate's name if it is missing or its hash differs
 */
async function crateArchive({ name, version, sha256 }: Crate): Promise<Uint8Array> {
  const index = (process.env['CARGO_REGISTRY_INDEX'] ?? INDEX).replace(/^sparse\+/, '').replace(/\/$/, '');
  const { dl } = (await (await get(`${index}/config.json`)).json()) as { readonly dl: string };
  const bytes = new Uint8Array(await (await get(`${dl}/${name}/${version}/download`)).arrayBuffer());
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) throw new Error(`the crate ${name} ${version} has SHA-256 ${found}, not ${sha256}`);
  return bytes;
}

async function get(url: string): Promise<Response> {
  const response = await fetch(url, { signal: AbortSignal.timeout(DEADLINE_MS) });
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  return response;
}
