import { join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import { must } from '../../tools/process.ts';
import type { PypiFile } from '../../tools/pypi.ts';
import { unpackWheel } from '../../tools/wheel.ts';

/** Targets keyed by Node's names of architectures. */
export const TARGETS = { x64: 'x86_64-linux-musl', arm64: 'aarch64-linux-musl' } as const;
export type Architecture = keyof typeof TARGETS;

export const ZIG_VERSION = '0.17.1';

/** The compiler package by this machine's architecture, in Node's spelling. */
const WHEELS: Readonly<Record<string, PypiFile>> = {
  x64: {
    project: 'ziglang',
    file: `ziglang-${ZIG_VERSION}-py3-none-manylinux_2_12_x86_64.manylinux2010_x86_64.musllinux_1_1_x86_64.whl`,
    sha256: 'ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54',
  },
  arm64: {
    project: 'ziglang',
    file: `ziglang-${ZIG_VERSION}-py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64.whl`,
    sha256: 'b7c5f02fccd40f89b999ee16a1f5ddced56e6182370f8affe494bcf8a28cf07e',
  },
};

/**
 * The files needed to compile for musl on Linux, independent of this machine, and the licence of those in programs. Of
 * C++'s library only the headers: nothing of it is linked.
 */
const NEEDED =
  /^ziglang\/(?:zig$|LICENSE$|lib\/(?!libcxx(?:abi)?\/(?!include\/)|libtsan|docs|libc\/(?:mingw|darwin|glibc|freebsd|netbsd|openbsd|wasi|include\/any-windows)))/;

/** A self-contained C compiler: zig's clang, with musl's sources. Returns its path. */
export async function compiler(): Promise<string> {
  const wheel = WHEELS[process.arch];
  if (wheel === undefined)
    throw new Error(`kolla-core can be built on ${Object.keys(WHEELS).join(', ')}, not on ${process.arch}`);
  const place = await cached('zig', [wheel.sha256, NEEDED.source], async (directory) => {
    await unpackWheel(wheel, NEEDED, directory, 'ziglang/zig');
  });
  return join(place, 'ziglang/zig');
}

/**
 * Runs the compiler. Compiled parts of musl are kept in a separate directory.
 * @param words after `zig cc`
 */
export async function compile(zig: string, words: readonly string[], cwd: string, command = 'cc'): Promise<void> {
  const kept = await cached('zig-compiled', [zig], () => Promise.resolve());
  const env = { ...process.env, ZIG_GLOBAL_CACHE_DIR: kept, ZIG_LOCAL_CACHE_DIR: kept };
  await must(zig, [command, ...words], { cwd, env });
}
