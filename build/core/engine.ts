import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import { must } from '../../tools/process.ts';
import { pypiFile } from '../../tools/pypi.ts';
import { compile, compiler } from './toolchain.ts';

/** QuickJS-ng's sources, shipped complete in a package of the Python index. */
const SOURCES = {
  project: 'quickjs-ng',
  file: 'quickjs_ng-0.17.0.2.tar.gz',
  sha256: '43d2e48272208721a7aaea8e3f02d4b9318f12ef20cc4f5421b59d9a470706ef',
};

/** Targets keyed by Node's names of architectures. */
export const TARGETS = { x64: 'x86_64-linux-musl', arm64: 'aarch64-linux-musl' } as const;
export type Architecture = keyof typeof TARGETS;

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
  const words = ['-target', TARGETS[architecture], ...FLAGS, ...WARNINGS, '-isystem', headers, ...LINKED, '-o', output];
  await compile(await compiler(), [...words, ...files, ...objects, '-lm'], cwd);
}

const NATIVE = join(import.meta.dirname, '../../native');
export const HOST = ['main.c', 'values.c', 'files.c', 'process.c', 'sockets.c'].map((file) => join(NATIVE, file));

/** The bytecode compiler for this machine: native/compile.c. */
export async function bytecodeCompiler(): Promise<string> {
  const source = join(NATIVE, 'compile.c');
  const made = [await readFile(source, 'utf8'), SOURCES.sha256, ...FLAGS];
  const place = await cached('quickjs-compile', made, async (directory) => {
    await link(process.arch as Architecture, [source], join(directory, 'compile'), directory);
  });
  return join(place, 'compile');
}
