/** Debian's gcc, unpacked: a second compiler for native/, with other diagnostics than zig's. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { engine, FLAGS, UNITS, WARNINGS } from '../../build/core/engine.ts';
import { gzipObjects, gzipSources } from '../../build/core/gzip-library.ts';
import { tlsLibrary, tlsLibraryBy } from '../../build/core/tls-library.ts';
import type { Architecture } from '../../build/core/toolchain.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { unpackedPackages } from '../../tools/debian.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';

/** The directory of a sanitized binary's libraries in an empty root, where it replaces their path in the cache. */
export const LIBRARIES_AT = '/.kolla-core';
const SANITIZED = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer'];
const STATIC = ['-static-libasan', '-static-libubsan', '-static-libgcc'];
/** These follow the usual options, since the last of repeated options applies. */
const DEBUGGED = ['-O1', '-g', '-U_FORTIFY_SOURCE'];

interface Gcc {
  readonly tree: string;
  readonly triplet: string;
}

async function gcc(): Promise<Gcc> {
  const tree = await unpackedPackages('gcc', ['gcc', 'g++', 'libc6-dev']);
  return { tree, triplet: process.arch === 'x64' ? 'x86_64-linux-gnu' : 'aarch64-linux-gnu' };
}

async function compile({ tree, triplet }: Gcc, words: readonly string[], cwd: string, command = 'cc'): Promise<void> {
  const own = join(tree, 'usr/bin');
  const env = { PATH: `${own}:${process.env['PATH']}`, LD_LIBRARY_PATH: join(tree, 'usr/lib', triplet) };
  if (command === 'ar') return void (await must(join(own, 'ar'), words, { env, cwd }));
  await must(join(own, command === 'cc' ? 'gcc' : 'g++'), ['--sysroot', tree, '-B', own, ...words], { env, cwd });
}

/** Tested by compiling a file that is not ours, whose defects must not look like a missing compiler. */
export const canCompileByGcc: Capability = async () => {
  try {
    await using directory = await privateDirectory('gcc');
    const file = join(directory.path, 'empty.c');
    await writeFile(file, 'int main(void) { return 0; }\n');
    await headersOf(process.arch as Architecture);
    await compile(await gcc(), ['-c', file, '-o', '/dev/null'], '/');
    return undefined;
  } catch (error) {
    return `Debian's gcc is not available here: ${messageOf(error)}`;
  }
};

/**
 * Compiles one of our files with gcc's analyzer.
 * @throws with its warnings
 */
export async function analyzed(file: string, output: string): Promise<void> {
  const found = await headersOf(process.arch as Architecture);
  await compile(await gcc(), [...FLAGS, ...WARNINGS, '-fanalyzer', ...found, '-c', file, '-o', output], '/');
}

/** Where our C finds the headers of the engine and of its libraries. */
async function headersOf(architecture: Architecture): Promise<string[]> {
  const parts = [await engine(architecture), await tlsLibrary(architecture), await gzipSources()];
  return parts.flatMap(({ headers }) => ['-isystem', headers]);
}

/**
 * Like `link` of build/core/engine.ts, under AddressSanitizer and UndefinedBehaviorSanitizer; findings exit with 99.
 */
export async function linkSanitized(
  _: Architecture,
  files: readonly string[],
  output: string,
  cwd: string,
): Promise<void> {
  const { headers } = await engine(process.arch as Architecture);
  const by = await gcc();
  const flags = [...FLAGS, ...DEBUGGED, ...SANITIZED];
  const objects = await cached('quickjs-sanitized', [headers, by.tree, ...flags], async (directory) => {
    for (const unit of UNITS)
      await compile(by, [...flags, '-c', join(headers, `${unit}.c`), '-o', join(directory, `${unit}.o`)], directory);
  });
  const ends = join(import.meta.dirname, 'sanitizers.c');
  const architecture = process.arch as Architecture;
  const tls = await tlsLibraryBy(
    architecture,
    [by.tree, ...DEBUGGED, ...SANITIZED],
    async (command, given, directory) => {
      await compile(by, command === 'ar' ? given : [...DEBUGGED, ...SANITIZED, ...given], directory, command);
    },
  );
  const gzip = await gzipObjects(architecture, [by.tree, ...flags], (given, at) =>
    compile(by, [...flags, ...given], at),
  );
  const found = await headersOf(architecture);
  const words = [...flags, ...STATIC, `-Wl,-rpath,${LIBRARIES_AT}`, ...found, '-o', output, ends, ...files];
  const engineObjects = UNITS.map((unit) => join(objects, `${unit}.o`));
  await compile(by, [...words, ...engineObjects, ...gzip, tls, '-lm', '-ldl', '-lpthread'], cwd);
}

/** Files that a sanitized binary needs in an empty root: the loader at its path, other libraries at LIBRARIES_AT. */
export async function libraries(): Promise<{ readonly loader: string; readonly others: readonly string[] }> {
  const { tree, triplet } = await gcc();
  const at = (name: string) => join(tree, 'usr/lib', triplet, name);
  const loader = process.arch === 'x64' ? 'ld-linux-x86-64.so.2' : 'ld-linux-aarch64.so.1';
  return { loader: at(loader), others: ['libc.so.6', 'libm.so.6'].map(at) };
}
