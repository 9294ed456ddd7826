/** Debian's gcc, unpacked: a second compiler for native/, with other diagnostics than zig's. */
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { engine, FLAGS, HOST, UNITS, WARNINGS, type Architecture } from '../../build/core/engine.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { unpackedPackages } from '../../tools/debian.ts';
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
  const tree = await unpackedPackages('gcc', ['gcc', 'libc6-dev']);
  return { tree, triplet: process.arch === 'x64' ? 'x86_64-linux-gnu' : 'aarch64-linux-gnu' };
}

async function compile({ tree, triplet }: Gcc, words: readonly string[], cwd: string): Promise<void> {
  const own = join(tree, 'usr/bin');
  const env = { PATH: `${own}:${process.env['PATH']}`, LD_LIBRARY_PATH: join(tree, 'usr/lib', triplet) };
  await must(join(own, 'gcc'), ['--sysroot', tree, '-B', own, ...words], { env, cwd });
}

/** Tested by compiling one file. */
export const canCompileByGcc: Capability = async () => {
  try {
    await analyzed(HOST[0]!, '/dev/null');
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
  const { headers } = await engine(process.arch as Architecture);
  await compile(await gcc(), [...FLAGS, ...WARNINGS, '-fanalyzer', '-isystem', headers, '-c', file, '-o', output], '/');
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
  const words = [...flags, ...STATIC, `-Wl,-rpath,${LIBRARIES_AT}`, '-isystem', headers, '-o', output, ends, ...files];
  await compile(by, [...words, ...UNITS.map((unit) => join(objects, `${unit}.o`)), '-lm', '-ldl', '-lpthread'], cwd);
}

/** Files that a sanitized binary needs in an empty root: the loader at its path, other libraries at LIBRARIES_AT. */
export async function libraries(): Promise<{ readonly loader: string; readonly others: readonly string[] }> {
  const { tree, triplet } = await gcc();
  const at = (name: string) => join(tree, 'usr/lib', triplet, name);
  const loader = process.arch === 'x64' ? 'ld-linux-x86-64.so.2' : 'ld-linux-aarch64.so.1';
  return { loader: at(loader), others: ['libc.so.6', 'libm.so.6'].map(at) };
}
