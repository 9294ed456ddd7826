import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConfigOptions } from '../../src/config/index.ts';
import { run, type Finished } from '../../tools/process.ts';

const APPLY = fileURLToPath(new URL('fixtures/apply.ts', import.meta.url));

/** The command line that installs everything in a separate process. */
export function applyWords(options: ConfigOptions, ...more: string[]): string[] {
  return [process.execPath, APPLY, JSON.stringify(options), ...more];
}

export async function applied(options: ConfigOptions, ...more: string[]): Promise<Finished> {
  const [command = '', ...args] = applyWords(options, ...more);
  return await run(command, args);
}

/** Runs a shell script with permission to mount: as root of a user namespace that maps our uid to 0. */
export function whereWeMayMount(script: string, ...args: string[]): Promise<Finished> {
  return run('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-euc', script, 'sh', ...args]);
}

/** Why mounting is impossible here; undefined if it is possible. */
export async function whyNoMount(): Promise<string | undefined> {
  const { code, stderr } = await whereWeMayMount('mount -t tmpfs none /mnt');
  return code === 0 ? undefined : `nothing can be mounted here: ${stderr.trim()}`;
}

/** Every path in a tree, with its mode and its content or target. */
export async function look(root: string): Promise<Map<string, { readonly mode: number; readonly content: string }>> {
  const found = new Map<string, { mode: number; content: string }>();
  for (const name of (await readdir(root, { recursive: true })).toSorted()) {
    const path = join(root, name);
    const stats = await lstat(path);
    const content = stats.isFile()
      ? await readFile(path, 'utf8')
      : stats.isSymbolicLink()
        ? `-> ${await readlink(path)}`
        : 'directory';
    found.set(name, { mode: stats.mode & 0o7777, content });
  }
  return found;
}
