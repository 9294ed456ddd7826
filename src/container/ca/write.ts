import { lstat, readFile, readdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { makeFolders } from '../../fs/folder.ts';
import { ignoreAbsent } from '../../fs/absent.ts';
import { replaceFile } from '../../fs/replace-file.ts';

/** Readable for all, whatever the mode of the Secret that a certificate comes from: every service looks them up. */
const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;

/** Puts a file of the store in place, unless it is right already. */
export async function putFile(path: string, text: string): Promise<void> {
  const found = await lstat(path).catch(ignoreAbsent);
  const content = Buffer.from(text, 'latin1');
  if (found?.isFile() && (found.mode & 0o777) === FILE_MODE && (await readFile(path)).equals(content)) return;
  await replaceFile(path, { content, mode: FILE_MODE, uid: -1, gid: -1 });
}

/**
 * Copies a folder of the image to its volume: files, folders, and links as links, whose targets are the image's too. What is
 * there already stays. A file that may not be read is said and left out.
 * @param except names of files that are not copied
 */
export async function seed(from: string, to: string, except: ReadonlySet<string>, log: Log): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true }).catch(ignoreAbsent);
  if (entries === undefined) return;
  await makeFolders(to, FOLDER_MODE);
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
