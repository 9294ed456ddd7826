import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { bytecodeCompiler, engine, type Architecture } from '../../build/core/engine.ts';
import { buildCore, type BuiltCore } from '../../build/core/make.ts';
import type { Capability } from '../../tools/capability.ts';
import { libraries, LIBRARIES_AT, linkSanitized } from './gcc.ts';

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

/** Whether it is built with sanitizers (test/native/sanitized.test.ts) instead of as shipped. */
export const isSanitized = process.env['KOLLA_CORE_SANITIZED'] !== undefined;

/** kolla-core of the current sources, for this machine. */
export async function coreBinary(directory: string, names?: readonly string[], from?: string): Promise<BuiltCore> {
  return await buildCore(directory, process.arch as Architecture, names, from, isSanitized ? linkSanitized : undefined);
}

/** Mounts /proc, because a sanitizer reads the location of its stack there. */
const CHROOT = 'mount --bind /proc "$0/proc" && exec chroot "$0" "$@"';

export interface Placed {
  /** Arguments that run it in the root, to precede its own. */
  readonly call: readonly [string, ...string[]];
  remove(): void;
}

/** Copies it into a root that is otherwise empty. */
export async function placeCore(binary: string, root: string, name: string): Promise<Placed> {
  const [at, file] = [join(root, LIBRARIES_AT), join(LIBRARIES_AT, name)];
  mkdirSync(at);
  copyFileSync(binary, join(at, name));
  if (!isSanitized) return { call: ['chroot', root, file], remove: () => rmSync(at, { recursive: true }) };
  const { loader, others } = await libraries();
  const [lib64, proc] = [join(root, 'lib64'), join(root, 'proc')];
  for (const directory of [lib64, proc]) mkdirSync(directory);
  for (const library of others) copyFileSync(library, join(at, basename(library)));
  copyFileSync(loader, join(lib64, basename(loader)));
  return {
    call: ['unshare', '--mount', 'sh', '-c', CHROOT, root, file],
    remove: () => [at, lib64, proc].forEach((path) => rmSync(path, { recursive: true })),
  };
}
