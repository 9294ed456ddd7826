import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './bundle.ts';
import { trimIcu } from './icu.ts';

const exec = promisify(execFile);

/** Target of the binary. */
export interface Target {
  readonly arch: 'arm64' | 'x64';
  /** Path of the target's node, of the version in the lockfile. */
  readonly node: string;
  /** The program that strips the target's executables. */
  readonly strip: string;
  /** Command line in front of the target's programs on this machine; empty if it runs them itself. */
  readonly emulator: readonly string[];
  /** Environment of the programs that run here. */
  readonly env: NodeJS.ProcessEnv;
}

/** This machine. */
export const HERE: Target = {
  arch: process.arch as Target['arch'],
  node: join(ROOT, 'node_modules', `node-linux-${process.arch}`, 'bin/node'),
  strip: 'strip',
  emulator: [],
  env: {},
};

/** The node to put inside the binary. */
export interface Base {
  readonly target: Target;
  readonly path: string;
  /** The reason why that node is not stripped, if it is not. */
  readonly notStripped: string | undefined;
}

/** Program and arguments as this machine runs them, for execFile. */
export function onTarget({ emulator }: Target, program: string, args: readonly string[]): [string, string[]] {
  const [first = program, ...rest] = [...emulator, program, ...args];
  return [first, rest];
}

/**
 * Writes the lockfile's node for a machine into the directory, stripped if binutils are available, without locale data
 * of languages other than English (docs/adr/0004-icu-data.md).
 */
export async function makeBase(directory: string, target: Target = HERE): Promise<Base> {
  const path = join(directory, 'node');
  const notStripped = await strip(target, path);
  trimIcu(path);
  return { target, path, notStripped };
}

async function strip({ strip: program, node: source, env }: Target, path: string): Promise<string | undefined> {
  try {
    await exec(program, ['-o', path, source], { env: { ...process.env, ...env } });
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await copyFile(source, path);
    return 'no `strip` on the PATH (it is in the package binutils)';
  }
}
