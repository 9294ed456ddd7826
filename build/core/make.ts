/**
 * Builds kolla-core (`node build/core/index.ts`):
 *
 *   cmd/NAME.ts -> modules (esbuild, on src/engine) -> bytecode (native/compile.c) -┐
 *   QuickJS-ng's sources, pinned -> zig cc, musl -> objects, cached               -─┤
 *   native/*.c -> zig cc                                                          -┴> one static file, commands as links
 *
 * What can fail: no network during the first build, an unsupported `node:` import, a bundle that does not compile. The
 * build is reproducible byte for byte.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RAISED_NAMES } from '../../src/cli/raised.ts';
import { SUPERVISOR_NAME } from '../../src/process/supervised.ts';
import { CORE_PROGRAMS, isLinked } from '../../src/toolbox/install/core-names.ts';
import { bundleApart, bundleNames, SCRIPTS_APART, type CoreBundle } from './bundle.ts';
import { bytecodeCompiler, HOST, link } from './engine.ts';
import type { Architecture } from './toolchain.ts';

const BYTECODE_MAX_BYTES = 16 * 1024 * 1024;

export interface BuiltCore {
  readonly binary: string;
  /** Directory of the commands, which are links to the binary. */
  readonly names: string;
  /** The files with code in the binary, as named by esbuild. */
  readonly inputs: readonly string[];
}

/**
 * @param directory for `kolla-core` and `core-bin/`, replaced by rename
 * @param names names of files in the directory `from`, or of commands
 * @param linkedBy another compiler, used for its diagnostics
 */
export async function buildCore(
  directory: string,
  architecture: Architecture,
  names: readonly string[] = CORE_PROGRAMS,
  from?: string,
  linkedBy: typeof link = link,
): Promise<BuiltCore> {
  await mkdir(directory, { recursive: true });
  const work = await mkdtemp(join(directory, '.core-'));
  try {
    const assets: Record<string, Uint8Array> = {
      architecture: await bytecode('architecture', `(() => '${architecture}')`, 'script'),
    };
    const inputs = new Set<string>();
    const add = async (bundle: CoreBundle, kind: Kind) => {
      for (const [name, text] of Object.entries(bundle.scripts)) assets[name] = await bytecode(name, text, kind);
      for (const input of bundle.inputs) inputs.add(input);
    };
    await add(await bundleNames(names, from), 'module');
    for (const name of SCRIPTS_APART) await add(await bundleApart(name), 'script');
    for (const [i, bytes] of Object.values(assets).entries()) await writeFile(join(work, `asset${i}`), bytes);
    await writeFile(join(work, 'assets.c'), table(assets, [...names, SUPERVISOR_NAME]));
    await linkedBy(architecture, [...HOST, 'assets.c'], 'kolla-core', work);
    await mkdir(join(work, 'core-bin'));
    for (const name of names.filter(isLinked)) await symlink('../kolla-core', join(work, 'core-bin', name));
    await rename(join(work, 'kolla-core'), join(directory, 'kolla-core'));
    await rm(join(directory, 'core-bin'), { recursive: true, force: true });
    await rename(join(work, 'core-bin'), join(directory, 'core-bin'));
    return { binary: join(directory, 'kolla-core'), names: join(directory, 'core-bin'), inputs: [...inputs] };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

type Kind = 'module' | 'script';

async function bytecode(name: string, text: string, kind: Kind): Promise<Uint8Array> {
  return execFileSync(await bytecodeCompiler(), [kind, name], { input: text, maxBuffer: BYTECODE_MAX_BYTES });
}

/** Whether a name may open connections, watch files and compute SHA-256: none that sudo may raise, and not the supervisor, which is below them. */
function hasNetwork(name: string): boolean {
  return !RAISED_NAMES.has(name) && name !== SUPERVISOR_NAME;
}

/** The tables declared in native/host.h. Uses `.incbin`, because compilers are slow with large arrays. */
function table(assets: Readonly<Record<string, Uint8Array>>, commands: readonly string[]): string {
  const names = Object.keys(assets);
  const data = names.map(
    (_, i) =>
      `__asm__(".section .rodata\\n.balign 16\\n.hidden asset${i}\\n.globl asset${i}\\nasset${i}:\\n.incbin \\"asset${i}\\"\\n.text\\n");\nextern const uint8_t asset${i}[];`,
  );
  const rows = names.map((name, i) => `{${JSON.stringify(name)}, asset${i}, ${assets[name]!.byteLength}},`);
  const starts = commands.map((name) => `{"${name}", "${name}.js", ${hasNetwork(name)}},`);
  return [
    `#include "${join(import.meta.dirname, '../../native/host.h')}"`,
    ...data,
    `const struct asset assets[] = {${rows.join(' ')} {NULL, NULL, 0}};`,
    `const struct command commands[] = {${starts.join(' ')} {NULL, NULL, false}};`,
    '',
  ].join('\n');
}
