import { copyFileSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { bytecodeCompiler, engine } from '../../build/core/engine.ts';
import type { Architecture } from '../../build/core/toolchain.ts';
import type { BuiltCore } from '../../build/core/make.ts';
import { CORE_PROGRAMS } from '../../src/toolbox/install/core-names.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { must } from '../../tools/process.ts';
import { importsOf, reachedFrom } from '../runner/changed.ts';
import { PLACE, removeOld } from '../support/bundled.ts';
import { digestOf } from '../support/source-digests.ts';
import { libraries, LIBRARIES_AT, linkSanitized } from './gcc.ts';
import { textsOf } from './sources.ts';

/** Tested by compiling the engine, which is cached; linking kolla-core then takes seconds. */
export const canBuildCore: Capability = async () => {
  try {
    await engine(process.arch as Architecture);
    await bytecodeCompiler();
    return undefined;
  } catch (error) {
    return `kolla-core can't be built here: ${messageOf(error)}`;
  }
};

/** Whether kolla-core is built with sanitizers (test/native/sanitized.test.ts) instead of as shipped. */
export const isSanitized = process.env['KOLLA_CORE_SANITIZED'] !== undefined;

/**
 * kolla-core of the current sources, built once per source version.
 * @param directory receives a copy, which may be modified
 * @param names the commands, files in the directory `from` if that is given
 * @param architecture by default this machine's
 */
export async function coreBinary(
  directory: string,
  names: readonly string[] = CORE_PROGRAMS,
  from?: string,
  architecture: Architecture = process.arch as Architecture,
): Promise<Pick<BuiltCore, 'binary' | 'names'>> {
  // Commands in cmd/ import no file of test/.
  const reached = from === undefined ? [] : names.flatMap((name) => [...reachedFrom(`${from}/${name}.ts`, importsOf)]);
  const own = new Set(reached.filter((file) => file.startsWith('test/')));
  const linkers = isSanitized ? ['test/cluster/gcc.ts', 'test/cluster/sanitizers.c'] : [];
  const madeFrom = [architecture, ...names, digestOf('binary'), ...textsOf([...own, ...linkers])];
  const place = await cached(
    'core',
    madeFrom,
    async (into) => {
      removeOld();
      // Loads esbuild, which most processes do not need.
      const { buildCore } = await import('../../build/core/make.ts');
      await buildCore(into, architecture, names, from, isSanitized ? linkSanitized : undefined);
    },
    PLACE,
  );
  const parts = ['kolla-core', 'core-bin'];
  await mkdir(directory, { recursive: true });
  await must('cp', ['-a', '--remove-destination', ...parts.map((part) => join(place, part)), directory]);
  return { binary: join(directory, 'kolla-core'), names: join(directory, 'core-bin') };
}

/**
 * Mounts /proc, because a sanitizer reads the location of its stack there, and because changing the mode of an open directory
 * needs it where fchmodat2 is missing, as in qemu 7.2.
 */
const CHROOT = 'mount --bind /proc "$0/proc" && exec chroot "$0" "$@"';

export interface Placed {
  /** The arguments that run kolla-core in the root; its own arguments follow. */
  readonly call: readonly [string, ...string[]];
  remove(): void;
}

/**
 * Links kolla-core into an empty root on the same file system; a copy of a sanitized one would have 18 MB.
 * @param emulator a static program there that runs it, for another architecture
 */
export async function placeCore(binary: string, root: string, name: string, emulator?: string): Promise<Placed> {
  const [at, file] = [join(root, LIBRARIES_AT), join(LIBRARIES_AT, name)];
  mkdirSync(at);
  linkSync(binary, join(at, name));
  if (emulator !== undefined) {
    linkSync(emulator, join(at, 'emulator'));
    return withProc(root, [join(LIBRARIES_AT, 'emulator'), file], [at]);
  }
  if (!isSanitized) return { call: ['chroot', root, file], remove: () => rmSync(at, { recursive: true }) };
  const { loader, others } = await libraries();
  const lib64 = join(root, 'lib64');
  mkdirSync(lib64);
  for (const library of others) copyFileSync(library, join(at, basename(library)));
  copyFileSync(loader, join(lib64, basename(loader)));
  return withProc(root, [file], [at, lib64]);
}

function withProc(root: string, command: readonly string[], made: readonly string[]): Placed {
  const proc = join(root, 'proc');
  mkdirSync(proc);
  return {
    call: ['unshare', '--mount', 'sh', '-c', CHROOT, root, ...command],
    remove: () => [...made, proc].forEach((path) => rmSync(path, { recursive: true })),
  };
}
