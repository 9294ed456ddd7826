import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readFile, readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../cli/errors.ts';
import type { Log } from '../cli/log.ts';
import { replaceFile } from '../platform/fs/replace-file.ts';

/** Readable for all, whatever the mode of the Secret that a certificate comes from: every service looks them up. */
const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;

/** Puts a file of the store in place, unless it is right already. */
export async function putFile(path: string, text: string): Promise<void> {
  const found = await lstat(path).catch(unlessAbsent);
  const content = Buffer.from(text, 'latin1');
  if (found?.isFile() && (found.mode & 0o777) === FILE_MODE && (await readFile(path)).equals(content)) return;
  await replaceFile(path, { content, mode: FILE_MODE, uid: -1, gid: -1 });
}

/** Puts a link in place; a reader finds the old one or the new one. */
export async function putLink(path: string, target: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.kolla-${randomBytes(3).toString('hex')}`);
  await symlink(target, temporary);
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Copies a folder of the image to its volume: files, folders, and links as links, whose targets are the image's too. What is
 * there already stays. A file that may not be read is said and left out.
 * @param except names of files that are not copied
 */
export async function seed(from: string, to: string, except: ReadonlySet<string>, log: Log): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true }).catch(unlessAbsent);
  if (entries === undefined) return;
  await mkdir(to, { recursive: true, mode: FOLDER_MODE });
  const there = new Set(await readdir(to));
  for (const entry of entries) {
    const [source, path] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await seed(source, path, except, log);
    else if (there.has(entry.name) || except.has(entry.name)) continue;
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), path);
    else if (entry.isFile()) await seedFile(source, path, log);
  }
}

async function seedFile(source: string, path: string, log: Log): Promise<void> {
  let content: Buffer;
  let mode: number;
  try {
    content = await readFile(source);
    mode = (await lstat(source)).mode & 0o777;
  } catch (error) {
    log.warn(`${source} of the image is not copied: ${messageOf(error)}`);
    return;
  }
  await replaceFile(path, { content, mode, uid: -1, gid: -1 });
}

/** For `catch`: what is not there is undefined; anything else stays an error. */
export function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
