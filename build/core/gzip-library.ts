/** libdeflate for kolla-core: gzip of whole buffers, from the sources in a crate, pinned by hash. docs/adr/0017 */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import { unpackedCrate, type Crate } from '../../tools/crates.ts';
import type { Architecture } from './toolchain.ts';

const CRATE: Crate = {
  name: 'libdeflate-sys',
  version: '1.26.1',
  sha256: 'd7870e5fbd2766179a937c725fb11f4ca0ef025d982beb61bd3ce755425bd19c',
};

/** Without zlib's format. */
const UNITS = ['deflate_compress', 'deflate_decompress', 'gzip_compress', 'gzip_decompress', 'crc32', 'utils'];
/** Instructions are chosen when a call needs them first, so a name without gzip pays nothing. */
const BY_ARCHITECTURE: Readonly<Record<Architecture, string>> = { x64: 'x86/cpu_features', arm64: 'arm/cpu_features' };

export interface GzipSources {
  /** Directory of libdeflate.h. */
  readonly headers: string;
  readonly version: string;
  readonly licence: string;
}

/** @throws Error if the sources do not state their version */
export async function gzipSources(): Promise<GzipSources> {
  const headers = await sources();
  const header = await readFile(join(headers, 'libdeflate.h'), 'utf8');
  const version = /^#define LIBDEFLATE_VERSION_STRING\s+"([\d.]+)"$/m.exec(header)?.[1];
  if (version === undefined) throw new Error(`${CRATE.name} ${CRATE.version} no longer states libdeflate's version`);
  return { headers, version, licence: await readFile(join(headers, 'COPYING'), 'utf8') };
}

/**
 * The object files for one architecture, compiled once per sources and flags.
 * @param madeFrom the compiler and its flags
 * @param compile runs it with the words of one file
 */
export async function gzipObjects(
  architecture: Architecture,
  madeFrom: readonly string[],
  compile: (words: readonly string[], directory: string) => Promise<void>,
): Promise<string[]> {
  const from = await sources();
  const units = [...UNITS, BY_ARCHITECTURE[architecture]];
  const made = [CRATE.sha256, ...madeFrom, ...units];
  const place = await cached(`libdeflate-${architecture}`, made, async (directory) => {
    for (const unit of units) {
      const output = join(directory, `${basename(unit)}.o`);
      await compile(['-w', '-c', join(from, 'lib', `${unit}.c`), '-o', output], directory);
    }
  });
  return units.map((unit) => join(place, `${basename(unit)}.o`));
}

async function sources(): Promise<string> {
  return join(await unpackedCrate('libdeflate', CRATE), 'libdeflate');
}
