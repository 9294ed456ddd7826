import { lstatSync, readFileSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { unlessAbsent } from '../../fs/absent.ts';
import { lookAt } from '../../fs/access.ts';
import { makeDirectories } from '../../fs/directory.ts';
import type { Replacer } from '../../fs/replacer.ts';
import { OUR_PREFIX } from './store.ts';

/** World-readable, whatever the mode of the certificate's Secret, since every service reads these files. */
const FILE_MODE = 0o644;
const DIRECTORY_MODE = 0o755;

/** Replaces a file of the store, unless it is up to date. */
export function putFile(replacer: Replacer, path: string, content: Buffer): void {
  const found = lookAt(path);
  if (found?.isFile() && (found.mode & 0o777) === FILE_MODE && readFileSync(path).equals(content)) return;
  replacer.replace(path, { content, mode: FILE_MODE, uid: -1, gid: -1 });
}

/** The name of a file's link in /etc/ssl/certs, as update-ca-certificates forms it. Links by hash lead to that link. */
export function linkNameOf(name: string): string {
  return `${name
    .replace(/\.crt$/, '')
    .replaceAll(/[ ,]/g, '_')
    .replaceAll(/[()]/g, '=')}.pem`;
}

/**
 * Creates a link such as `3513523f.0`, with the first number that neither the image nor another of our links uses, and
 * returns its path. OpenSSL stops at the first missing number, so our link takes the number of a removed one: a renewed
 * CA has the same subject.
 */
export function putHash(links: Replacer, prefix: string, target: string, wanted: ReadonlySet<string>): string {
  for (let n = 0; ; n += 1) {
    const path = `${prefix}.${n}`;
    if (wanted.has(path)) continue;
    const there = lookAt(path);
    const current = there?.isSymbolicLink() ? readlinkSync(path) : undefined;
    if (there !== undefined && current?.startsWith(OUR_PREFIX) !== true) continue;
    if (current !== target) links.link(path, target);
    return path;
  }
}

/**
 * Copies a directory of the image to its volume: files, directories, and links with the image's targets. Existing
 * entries are kept, and no link is followed. An unreadable file is logged and skipped.
 * @param except names of files that are not copied
 */
export function seed(
  replacer: Replacer,
  { from, to }: { readonly from: string; readonly to: string },
  except: ReadonlySet<string>,
  log: Log,
): void {
  const entries = unlessAbsent(() => readdirSync(from, { withFileTypes: true }));
  if (entries === undefined) return;
  makeDirectories(to, DIRECTORY_MODE);
  const there = new Set(readdirSync(to));
  for (const entry of entries) {
    const [source, path] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && lookAt(path)?.isSymbolicLink() !== true)
      seed(replacer, { from: source, to: path }, except, log);
    else if (there.has(entry.name) || except.has(entry.name)) continue;
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), path);
    else if (entry.isFile()) seedFile(replacer, source, path, log);
  }
}

function seedFile(replacer: Replacer, source: string, path: string, log: Log): void {
  let content: Buffer;
  let mode: number;
  try {
    content = readFileSync(source);
    mode = lstatSync(source).mode & 0o777;
  } catch (error) {
    log.warn(`${source} of the image is not copied: ${reasonOf(error)}`);
    return;
  }
  replacer.replace(path, { content, mode, uid: -1, gid: -1 });
}
