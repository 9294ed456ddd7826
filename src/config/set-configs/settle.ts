import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { chmod, lchown, mkdir, rename, rm, symlink } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { messageOf } from '../../cli/errors.ts';
import { replaceFile } from '../../platform/fs/replace-file.ts';
import { readFileSync } from 'node:fs';
import type { Lines } from './lines.ts';
import { contentOf, type Entry, type Tree } from './tree.ts';

/** Preserved times go through doubles, which are this exact. */
const TIME_TOLERANCE_S = 0.000_002;

interface Settling {
  readonly lines: Lines;
  /** What must go; last, so that whoever is killed before has lost nothing. */
  readonly doomed: string[];
}

/**
 * Makes the disk what the tree says. What is right already is not touched; every file is replaced whole. The image's own
 * files are kept before theirs are replaced, and things are deleted last. Rejects with the system's error.
 */
export async function settle(tree: Tree, lines: Lines): Promise<void> {
  const settling = { lines, doomed: [] };
  // Kept files first: what they were copied from is about to be replaced.
  const kept = ['etc', 'kolla', 'defaults'];
  const order = (name: string, depth: number) => (name === kept[depth] ? 0 : 1);
  await settleFolder(settling, tree.root, tree.top, (a, b, depth) => order(a, depth) - order(b, depth), 0);
  for (const path of settling.doomed) await rm(path, { recursive: true, force: true });
}

type Order = (a: string, b: string, depth: number) => number;

async function settleFolder(
  settling: Settling,
  path: string,
  folder: Entry,
  order: Order,
  depth: number,
): Promise<void> {
  const fresh = folder.onDisk === undefined;
  if (fresh)
    for (const name of readdirSync(path)) if (!folder.children.has(name)) settling.doomed.push(join(path, name));
  for (const name of [...folder.children.keys()].toSorted((a, b) => order(a, b, depth))) {
    const entry = folder.children.get(name);
    const place = join(path, name);
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (entry === undefined) {
      if (found !== undefined) settling.doomed.push(place);
    } else if (entry.kind === 'directory') {
      await settleDirectory(settling, place, entry, found);
      await settleFolder(settling, place, entry, order, depth + 1);
    } else if (entry.onDisk !== undefined) await settleOwner(settling, place, entry, found);
    else if (entry.kind === 'link') await settleLink(place, entry, found);
    else await settleFile(place, entry, found);
  }
}

async function settleDirectory(
  settling: Settling,
  path: string,
  entry: Entry,
  found: Stats | undefined,
): Promise<void> {
  if (found?.isDirectory()) {
    if (entry.onDisk === undefined) entry.touched = true;
    await settleOwner(settling, path, entry, found);
    return;
  }
  if (found !== undefined) await rm(path);
  await mkdir(path, { mode: entry.mode & 0o700 });
  await lchown(path, entry.uid, entry.gid);
  await chmod(path, entry.mode);
}

/** Refusals are logged and no more, as with Kolla: they are about what a service made. */
async function settleOwner({ lines }: Settling, path: string, entry: Entry, found: Stats | undefined): Promise<void> {
  if (!entry.touched || found === undefined) return;
  const { uid, gid, mode } = entry;
  const otherOwner = found.uid !== uid || found.gid !== gid;
  if (otherOwner) {
    await lchown(path, uid, gid).catch((error: unknown) =>
      lines.error(`Failed to change ownership of ${path} to ${uid}:${gid}: ${messageOf(error)}`),
    );
  }
  if ((found.mode & 0o7777) === mode && !otherOwner) return;
  await chmod(path, mode).catch((error: unknown) =>
    lines.error(`Failed to set permission of ${path} to ${mode}: ${messageOf(error)}`),
  );
}

async function settleLink(path: string, entry: Entry, found: Stats | undefined): Promise<void> {
  if (found?.isSymbolicLink() && readlinkSync(path) === entry.target) return;
  if (found?.isDirectory()) await rm(path, { recursive: true });
  const temporary = join(path, `../.${randomBytes(6).toString('hex')}.kolla-link`);
  await symlink(entry.target!, temporary);
  await lchown(temporary, entry.uid, entry.gid);
  await rename(temporary, path);
}

async function settleFile(path: string, entry: Entry, found: Stats | undefined): Promise<void> {
  const content = contentOf(entry);
  if (found?.isFile() && isRight(path, entry, content, found)) return;
  if (found?.isDirectory()) await rm(path, { recursive: true });
  await replaceFile(path, { content, mode: entry.mode, uid: entry.uid, gid: entry.gid, times: entry.times });
}

function isRight(path: string, entry: Entry, content: Buffer, found: Stats): boolean {
  if ((found.mode & 0o7777) !== entry.mode || found.uid !== entry.uid || found.gid !== entry.gid) return false;
  if (entry.times !== undefined && Math.abs(entry.times.mtime - found.mtimeMs / 1000) > TIME_TOLERANCE_S) return false;
  return found.size === content.byteLength && Buffer.compare(readFileSync(path), content) === 0;
}
