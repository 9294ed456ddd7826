import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import { must } from '../../tools/process.ts';
import { pypiFile } from '../../tools/pypi.ts';
import { gzipObjects, gzipSources } from './gzip-library.ts';
import { tlsLibrary } from './tls-library.ts';
import { compile, compiler, TARGETS, type Architecture } from './toolchain.ts';

/** QuickJS-ng's sources, shipped complete in a package of the Python index. */
const SOURCES = {
  project: 'quickjs-ng',
  file: 'quickjs_ng-0.17.0.2.tar.gz',
  sha256: '43d2e48272208721a7aaea8e3f02d4b9318f12ef20cc4f5421b59d9a470706ef',
};

export const UNITS = ['quickjs', 'libregexp', 'libunicode', 'dtoa'] as const;

/** Flags for everything compiled into kolla-core. */
export const FLAGS = [
  '-O2',
  '-g0',
  '-std=c11',
  '-D_GNU_SOURCE',
  '-DNDEBUG',
  '-fPIE',
  '-fstack-protector-strong',
  '-ffunction-sections',
  '-fdata-sections',
  '-fno-ident',
];
/** Flags for our own C, but not for the engine's code, which would give warnings. */
export const WARNINGS = ['-Wall', '-Wextra', '-Werror', '-Wno-unused-command-line-argument'];
const LINKED = ['-static-pie', '-s', '-Wl,--gc-sections', '-Wl,-z,relro,-z,now', '-Wl,-z,noexecstack'];

export interface Engine {
  /** Directory of quickjs.h. */
  readonly headers: string;
  readonly objects: readonly string[];
}

/** The engine for one architecture, compiled once per sources and flags. */
export async function engine(architecture: Architecture): Promise<Engine> {
  const sources = await cached('quickjs', [SOURCES.sha256], async (directory) => {
    await writeFile(join(directory, SOURCES.file), await pypiFile(SOURCES));
    await must('tar', ['-xzf', SOURCES.file, '--strip-components=2', '--wildcards', '*/upstream-quickjs/*'], {
      cwd: directory,
    });
  });
  const zig = await compiler();
  const target = TARGETS[architecture];
  const place = await cached(`quickjs-${architecture}`, [SOURCES.sha256, zig, target, ...FLAGS], async (directory) => {
    for (const unit of UNITS) {
      const words = ['-target', target, ...FLAGS, '-c', join(sources, `${unit}.c`), '-o', join(directory, `${unit}.o`)];
      await compile(zig, words, directory);
    }
  });
  return { headers: sources, objects: UNITS.map((unit) => join(place, `${unit}.o`)) };
}

/**
 * Compiles files of native/ and assembly against the engine, and links them into a static executable.
 * @param files paths, .c or .S
 */
export async function link(
  architecture: Architecture,
  files: readonly string[],
  output: string,
  cwd: string,
): Promise<void> {
  const { headers, objects } = await engine(architecture);
  const zig = await compiler();
  const tls = await tlsLibrary(architecture);
  const flags = ['-target', TARGETS[architecture], ...FLAGS];
  const gzip = await gzipObjects(architecture, [zig, ...flags], (words, at) => compile(zig, [...flags, ...words], at));
  const found = [headers, tls.headers, (await gzipSources()).headers].flatMap((one) => ['-isystem', one]);
  const words = [...flags, ...WARNINGS, ...LINKED, '-o', output, ...found, ...files, ...objects, ...gzip];
  await compile(zig, [...words, tls.file, '-lm'], cwd);
}

const NATIVE = join(import.meta.dirname, '../../native');
const LOGS = [
  'calls',
  'calendar',
  'document',
  'events',
  'json',
  'match',
  'scan',
  'set',
  'table',
  'take',
  'time',
  'write',
].map((name) => `log-${name}.c`);
export const HOST = [
  'main.c',
  'heap.c',
  'values.c',
  'files.c',
  'process.c',
  'sockets.c',
  'tls.c',
  'inotify.c',
  'digest.c',
  'deflate.c',
  'network.c',
  ...LOGS,
].map((file) => join(NATIVE, file));

/** The bytecode compiler for this machine: native/compile.c. */
export async function bytecodeCompiler(): Promise<string> {
  const source = join(NATIVE, 'compile.c');
  const made = [await readFile(source, 'utf8'), SOURCES.sha256, ...FLAGS];
  const place = await cached('quickjs-compile', made, async (directory) => {
    await link(process.arch as Architecture, [source], join(directory, 'compile'), directory);
  });
  return join(place, 'compile');
}
