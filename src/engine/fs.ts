/**
 * The part of `node:fs` that kolla-core uses: synchronous calls with Node's arguments, results and errors. A file is a
 * path or a descriptor.
 */
import { Buffer } from './runtime/buffer.ts';
import { eachEntry } from './entries.ts';
import { done, systemError } from './runtime/errors.ts';
import { nameOf } from './names.ts';
import { Dirent, Stats } from './stats.ts';
import { AT } from './runtime/sys.ts';

export { Dirent, Stats } from './stats.ts';
export { watch, type FSWatcher } from './inotify.ts';

export const constants = {
  F_OK: 0,
  X_OK: 1,
  W_OK: 2,
  R_OK: 4,
  O_RDONLY: 0,
  O_WRONLY: 0o1,
  O_RDWR: 0o2,
  O_CREAT: 0o100,
  O_EXCL: 0o200,
  O_TRUNC: 0o1000,
  O_APPEND: 0o2000,
  O_NOCTTY: 0o400,
  O_NONBLOCK: 0o4000,
  ...byArchitecture(),
  S_IFMT: 0o170_000,
} as const;

/** arm64 swaps the values of these two flags. */
function byArchitecture(): { readonly O_DIRECTORY: number; readonly O_NOFOLLOW: number } {
  const arm = sys.asset('architecture') === 'arm64';
  return arm ? { O_DIRECTORY: 0o40_000, O_NOFOLLOW: 0o100_000 } : { O_DIRECTORY: 0o200_000, O_NOFOLLOW: 0o400_000 };
}

const FLAGS: Readonly<Record<string, number>> = {
  r: constants.O_RDONLY,
  'r+': constants.O_RDWR,
  w: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
  wx: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_EXCL,
  a: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
};

export function openSync(path: string, flags: string | number = 'r', mode = 0o666): number {
  const bits = typeof flags === 'number' ? flags : FLAGS[flags];
  if (bits === undefined) throw new TypeError(`Unknown file flags: ${flags}`);
  return done(sys.open(AT.cwd, path, bits, mode), 'open', path);
}

export function closeSync(fd: number): void {
  done(sys.close(fd), 'close');
}

export function fsyncSync(fd: number): void {
  done(sys.sync(fd), 'fsync');
}

export function ftruncateSync(fd: number, length = 0): void {
  done(sys.truncate(fd, length), 'ftruncate');
}

export function readSync(
  fd: number,
  into: Uint8Array,
  offset = 0,
  length = into.byteLength - offset,
  position: number | null = null,
): number {
  return done(sys.read(fd, into, offset, length, position ?? -1), 'read');
}

export function writeSync(
  fd: number,
  from: Uint8Array | string,
  offset = 0,
  length?: number,
  position: number | null = null,
): number {
  const bytes = bytesOf(from);
  return done(sys.write(fd, bytes, offset, length ?? bytes.byteLength - offset, position ?? -1), 'write');
}

function bytesOf(content: Uint8Array | string): Uint8Array {
  return typeof content === 'string' ? new Uint8Array(sys.encode(content)) : content;
}

/** The stat of a name in an open directory, or a negative number as the error. */
export function statAt(directory: number, name: string, flags: number): Stats | number {
  const found = sys.stat(directory, name, flags);
  return typeof found === 'number' ? found : new Stats(found);
}

interface StatOptions {
  readonly throwIfNoEntry?: boolean;
}

export function statSync(path: string, options?: StatOptions): Stats {
  return look('stat', path, 0, options)!;
}

export function lstatSync(path: string, options?: StatOptions): Stats {
  return look('lstat', path, AT.noFollow, options)!;
}

export function fstatSync(fd: number): Stats {
  return seen(statAt(fd, '', AT.emptyPath), 'fstat');
}

function look(name: string, path: string, flags: number, options: StatOptions = {}): Stats | undefined {
  const found = statAt(AT.cwd, path, flags);
  return options.throwIfNoEntry === false && isAbsent(found) ? undefined : seen(found, name, path);
}

const [ENOENT, ENOTDIR] = [-2, -20];

/** With Node's throwIfNoEntry, a missing file, or a file in place of a parent directory, gives undefined. */
export function isAbsent(found: Stats | number): boolean {
  return found === ENOENT || found === ENOTDIR;
}

/** The stat. Throws if the call failed. */
function seen(found: Stats | number, syscall: string, path?: string): Stats {
  if (typeof found === 'number') throw systemError(found, syscall, path);
  return found;
}

export function accessSync(path: string, how: number = constants.F_OK): void {
  done(sys.access(AT.cwd, path, how), 'access', path);
}

export function existsSync(path: string): boolean {
  return sys.access(AT.cwd, path, constants.F_OK) === 0;
}

export function readlinkSync(path: string): string {
  return linkAt(AT.cwd, path, path);
}

/** Longer than the target of any link. */
const TARGET_BYTES = 4096;

/**
 * The target of a link.
 * @param path the path that the error names
 */
export function linkAt(directory: number, name: string, path: string): string {
  const into = new Uint8Array(TARGET_BYTES);
  return nameOf(into, 0, done(sys.readlink(directory, name, into), 'readlink', path));
}

const O_PATH = 0o10_000_000;

/** Uses the descriptor's path in /proc, as glibc does for an O_PATH descriptor. */
export function realpathSync(path: string): string {
  const fd = done(sys.open(AT.cwd, path, O_PATH, 0), 'realpath', path);
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } finally {
    sys.close(fd);
  }
}
realpathSync.native = realpathSync;

export function readdirSync(path: string): string[];
export function readdirSync(path: string, options: { readonly withFileTypes: true }): Dirent[];
export function readdirSync(path: string, options?: { readonly withFileTypes: true }): string[] | Dirent[] {
  const fd = done(sys.open(AT.cwd, path, constants.O_RDONLY | constants.O_DIRECTORY, 0), 'scandir', path);
  try {
    const entries: Dirent[] = [];
    const names: string[] = [];
    eachEntry(fd, path, (name, format) => {
      if (options === undefined) names.push(name);
      else entries.push(new Dirent(name, format));
    });
    if (options === undefined) return names;
    return entries.flatMap((entry) => (entry.mode === 0 ? told(fd, path, entry.name) : [entry]));
  } finally {
    sys.close(fd);
  }
}

/** For a file system whose listings have no types. Entries that were removed meanwhile are skipped. */
function told(fd: number, path: string, name: string): Dirent[] {
  const found = statAt(fd, name, AT.noFollow);
  return isAbsent(found) ? [] : [new Dirent(name, seen(found, 'lstat', `${path}/${name}`).mode)];
}

export function mkdirSync(path: string, options?: { readonly mode?: number | undefined }): void {
  done(sys.mkdir(AT.cwd, path, options?.mode ?? 0o777), 'mkdir', path);
}

export function unlinkSync(path: string): void {
  done(sys.unlink(AT.cwd, path, 0), 'unlink', path);
}

export function rmdirSync(path: string): void {
  done(sys.unlink(AT.cwd, path, AT.removeDirectory), 'rmdir', path);
}

export function renameSync(from: string, to: string): void {
  done(sys.rename(AT.cwd, from, AT.cwd, to), 'rename', from, to);
}

export function linkSync(from: string, to: string): void {
  done(sys.link(from, to), 'link', from, to);
}

export function symlinkSync(target: string, path: string): void {
  done(sys.symlink(target, AT.cwd, path), 'symlink', target, path);
}

export function chmodSync(path: string, mode: number): void {
  done(sys.chmod(AT.cwd, path, mode, 0), 'chmod', path);
}

export function fchmodSync(fd: number, mode: number): void {
  done(sys.chmod(fd, '', mode, 0), 'fchmod');
}

export function lchownSync(path: string, uid: number, gid: number): void {
  done(sys.chown(AT.cwd, path, uid, gid, AT.noFollow), 'lchown', path);
}

export function fchownSync(fd: number, uid: number, gid: number): void {
  done(sys.chown(fd, '', uid, gid, AT.emptyPath), 'fchown');
}

export function futimesSync(fd: number, access: number, content: number): void {
  const times = [access, content].flatMap((seconds) => [Math.floor(seconds), (seconds - Math.floor(seconds)) * 1e9]);
  done(sys.setTimes(fd, BigInt64Array.from(times, (part) => BigInt(Math.floor(part))).buffer), 'futime');
}

const FIRST_BYTES = 8192;

export function readFileSync(path: string | number): Buffer;
export function readFileSync(path: string | number, encoding: 'utf8' | 'latin1'): string;
export function readFileSync(path: string | number, encoding?: 'utf8' | 'latin1'): Buffer | string {
  const fd = typeof path === 'number' ? path : openSync(path);
  try {
    // One byte more than the size, so that the end is detected without another call. Files in /proc report size 0.
    const { size } = fstatSync(fd);
    let bytes = Buffer.allocUnsafe(size === 0 ? FIRST_BYTES : size + 1);
    let length = 0;
    for (let read = 1; read > 0; length += read) {
      if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.length)]);
      read = readSync(fd, bytes, length, bytes.length - length);
    }
    const whole = new Buffer(bytes.buffer, 0, length);
    return encoding === undefined ? whole : whole.toString(encoding);
  } finally {
    if (typeof path === 'string') closeSync(fd);
  }
}

export function writeFileSync(path: string, content: string | Uint8Array): void {
  const bytes = bytesOf(content);
  const fd = openSync(path, 'w');
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
  } finally {
    closeSync(fd);
  }
}
