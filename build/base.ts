import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './bundle.ts';
import { trimIcu } from './icu.ts';

const exec = promisify(execFile);

/** What the binary is made for. */
export interface Target {
  readonly arch: 'arm64' | 'x64';
  /** Its node, as the lockfile has it. */
  readonly node: string;
  /** The program that takes symbols out of its executables. */
  readonly strip: string;
  /** Words in front of a command line by which this machine runs its programs; none where that is itself. */
  readonly emulator: readonly string[];
  /** What the programs here need in their environment. */
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

/** The node that the binary carries. */
export interface Base {
  readonly target: Target;
  readonly path: string;
  /** Why its symbols are still in it, where they are. */
  readonly notStripped: string | undefined;
}

/** The program and its words as this machine runs them, for execFile. */
export function onTarget({ emulator }: Target, program: string, args: readonly string[]): [string, string[]] {
  const [first = program, ...rest] = [...emulator, program, ...args];
  return [first, rest];
}

/**
 * Puts the lockfile's node for a machine into the directory, without its symbols where binutils are at hand, without
 * the words of languages that we don't speak (docs/adr/0004-icu-data.md).
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
