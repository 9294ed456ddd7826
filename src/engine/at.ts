/** src/fs/at.ts on the system calls of kolla-core. */
import { join } from 'node:path';
import type { OpenPath } from '../fs/at.ts';
import { eachEntry } from './entries.ts';
import { systemError } from './runtime/errors.ts';
import { constants, isAbsent, linkAt, statAt, type Stats } from './fs.ts';
import { AT } from './runtime/sys.ts';

export const O_PATH = 0o10_000_000;
const [EINVAL, ENOSYS] = [-22, -38];

export function openAt(held: OpenPath, name: string, flags: number, mode = 0): number {
  return done(sys.open(held.fd, name, flags, mode), 'open', held, name);
}

export function listAt({ fd, path }: OpenPath): string[] {
  const open = sys.open(fd, '.', constants.O_RDONLY | constants.O_DIRECTORY, 0);
  if (open < 0) throw systemError(open, 'scandir', path);
  try {
    const names: string[] = [];
    eachEntry(open, path, (name) => names.push(name));
    return names;
  } finally {
    sys.close(open);
  }
}

export function lstatAt(held: OpenPath, name: string): Stats | undefined {
  const found = statAt(held.fd, name, AT.noFollow);
  if (typeof found !== 'number') return found;
  if (isAbsent(found)) return undefined;
  throw systemError(found, 'lstat', join(held.path, name));
}

export function readlinkAt({ fd, path }: OpenPath, name: string): string {
  return linkAt(fd, name, join(path, name));
}

export function mkdirAt(held: OpenPath, name: string, mode: number): void {
  done(sys.mkdir(held.fd, name, mode), 'mkdir', held, name);
}

export function symlinkAt({ fd, path }: OpenPath, name: string, target: string): void {
  const result = sys.symlink(target, fd, name);
  if (result < 0) throw systemError(result, 'symlink', target, join(path, name));
}

export function renameAt({ fd, path }: OpenPath, from: string, to: string): void {
  const result = sys.rename(fd, from, fd, to);
  if (result < 0) throw systemError(result, 'rename', join(path, from), join(path, to));
}

export function chownHeld({ fd, path }: OpenPath, uid: number, gid: number): void {
  done(sys.chown(fd, '', uid, gid, AT.emptyPath), 'chown', { fd, path }, '');
}

/** fchmod() rejects an O_PATH descriptor. A kernel before 6.6 has no call for it: there its name in /proc is used. */
export function chmodHeld({ fd, path }: OpenPath, mode: number): void {
  const result = sys.chmod(fd, '', mode, AT.emptyPath);
  const isKnown = result !== EINVAL && result !== ENOSYS;
  done(isKnown ? result : sys.chmod(AT.cwd, `/proc/self/fd/${fd}`, mode, 0), 'chmod', { fd, path }, '');
}

export function unlinkAt(held: OpenPath, name: string): void {
  done(sys.unlink(held.fd, name, 0), 'unlink', held, name);
}

export function rmdirAt(held: OpenPath, name: string): void {
  done(sys.unlink(held.fd, name, AT.removeDirectory), 'rmdir', held, name);
}

/** The path is built only if there is an error. */
function done(result: number, syscall: string, { path }: OpenPath, name: string): number {
  if (result < 0) throw systemError(result, syscall, join(path, name));
  return result;
}
