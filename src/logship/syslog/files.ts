import { closeSync, constants, fstatSync, openSync, readSync, renameSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf, reasonOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { makeDirectories } from '../../fs/directory.ts';
import { DedupedWarnings } from '../report/deduped-warnings.ts';
import type { SyslogMessage } from './message.ts';

interface FilesOptions {
  /** The log root directory. */
  readonly root: string;
  /** Size at which a file is renamed to `.1`. */
  readonly maxBytes: number;
  /** Whether `PATH.1` is no longer needed, so that the next rename may overwrite it. */
  readonly mayRotate: (path: string) => boolean;
  readonly log: Log;
}

/** Maximum number of files, because any client of the port can name programs. */
const PROGRAMS = 32;
/** Maximum length of a name. File names are limited to 255 bytes, including a rotation suffix. */
const NAME_LENGTH = 128;
const NEWLINE = 10;
const DIRECTORY_MODE = 0o755;
const FILE_MODE = 0o640;

interface Open {
  readonly fd: number;
  readonly ino: number;
  size: number;
}

/** The files to which syslog messages are written, one per program. No other process rotates them. */
export class SyslogFiles implements Disposable {
  readonly #options: FilesOptions;
  readonly #open = new Map<string, Open>();
  readonly #paths = new Map<string, string>();
  /** Files whose last line a full disk has truncated. */
  readonly #torn = new Set<string>();
  readonly #warnings: DedupedWarnings;
  #pending = new Map<string, string[]>();
  #problem = '';
  /** Number of lines that could not be written. */
  lost = 0;

  constructor(options: FilesOptions) {
    this.#options = options;
    this.#warnings = new DedupedWarnings(options.log);
  }

  /** Queues a line for the next flush(). */
  add(program: string | undefined, line: string): void {
    const path = this.pathOf(program);
    const lines = this.#pending.get(path);
    if (lines === undefined) this.#pending.set(path, [line]);
    else lines.push(line);
  }

  /** Writes the queued lines. Never throws: lines that cannot be written are counted as lost and logged. */
  flush(): void {
    const pending = this.#pending;
    this.#pending = new Map();
    for (const [path, lines] of pending) this.#write(path, lines);
  }

  /**
   * The path of a program's file. For haproxy it is Kolla's; for others it is separate from the files that services
   * write themselves.
   */
  pathOf(program = 'unknown'): string {
    const known = this.#paths.get(program);
    if (known !== undefined) return known;
    const isFull = this.#paths.size >= PROGRAMS;
    const name = isFull
      ? 'other'
      : program
          .slice(0, NAME_LENGTH)
          .replaceAll(/[^\w.-]/g, '_')
          .replace(/^\.+/, '_');
    const path = join(this.#options.root, program === 'haproxy' ? 'haproxy/haproxy.log' : `syslog/${name}.log`);
    if (!isFull) this.#paths.set(program, path);
    return path;
  }

  [Symbol.dispose](): void {
    this.flush();
    for (const [path, open] of this.#open) this.#close(path, open);
  }

  #write(path: string, lines: readonly string[]): void {
    const { log } = this.#options;
    try {
      const file = this.#at(path);
      const text = `${this.#torn.has(path) ? '\n' : ''}${lines.join('\n')}\n`;
      writeAll(file, Buffer.from(text), () => this.#torn.add(path));
      this.#torn.delete(path);
      if (this.#problem !== '') log.info(`syslog can be written again; ${this.lost} lines were lost`);
      this.#problem = '';
    } catch (error) {
      this.lost += lines.length;
      // It may be stale, and is opened again for the next lines.
      const open = this.#open.get(path);
      if (open !== undefined) this.#close(path, open);
      const problem = messageOf(error);
      if (problem !== this.#problem) log.error(`syslog lines are lost, because ${path} cannot be written: ${problem}`);
      this.#problem = problem;
    }
  }

  #at(path: string): Open {
    const { maxBytes, mayRotate } = this.#options;
    const open = this.#open.get(path);
    if (open === undefined) return this.#openAt(path);
    // Another process may have renamed the file or re-created the whole volume.
    const isMoved = statSync(path, { throwIfNoEntry: false })?.ino !== open.ino;
    if (!isMoved && (open.size < maxBytes || !mayRotate(path) || !this.#rotate(path))) return open;
    this.#close(path, open);
    this.#torn.delete(path);
    return this.#openAt(path);
  }

  /** The descriptor is released even if the call fails, as it may on a network file system. */
  #close(path: string, { fd }: Open): void {
    this.#open.delete(path);
    try {
      closeSync(fd);
    } catch (error) {
      this.#options.log.warn(`the last lines of ${path} may be lost: ${reasonOf(error)}`);
    }
  }

  /** Returns whether the file was renamed. If not, it keeps growing, which loses no line. */
  #rotate(path: string): boolean {
    try {
      inDirectoryOf(path, this.#options.root, (at) => renameSync(at, `${at}.1`));
      this.#warnings.over(path, `${path} can be rotated now`);
      return true;
    } catch (error) {
      // Without the message, which contains the changing number of a descriptor.
      this.#warnings.warn(path, `${path} cannot be renamed to ${path}.1 and keeps growing: ${reasonOf(error)}`);
      return false;
    }
  }

  #openAt(path: string): Open {
    const fd = inDirectoryOf(path, this.#options.root, (at) => openSync(at, APPEND, FILE_MODE));
    const found = fstatSync(fd);
    if (!found.isFile()) {
      closeSync(fd);
      throw new Error('it is not a regular file');
    }
    const { ino, size } = found;
    const open = { fd, ino, size };
    this.#open.set(path, open);
    // An earlier run may have ended while the disk was full.
    if (isTorn(fd, size)) this.#torn.add(path);
    return open;
  }
}

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Acts on a file in a subdirectory of the root, created if missing and held open meanwhile: services may replace either
 * by a link to redirect the lines. Throws the system's error.
 */
function inDirectoryOf<T>(path: string, root: string, act: (at: string) => T): T {
  const directory = dirname(path);
  makeDirectories(root, DIRECTORY_MODE);
  const above = openSync(root, DIRECTORY & ~constants.O_NOFOLLOW);
  try {
    const at = `/proc/self/fd/${above}/${basename(directory)}`;
    makeDirectories(at, DIRECTORY_MODE);
    const held = openSync(at, DIRECTORY);
    try {
      return act(`/proc/self/fd/${held}/${basename(path)}`);
    } finally {
      closeSync(held);
    }
  } finally {
    closeSync(above);
  }
}

/** Whether the file ends with an incomplete line. */
function isTorn(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE;
}

/** @param torn called before an error if a line was written partially */
function writeAll(file: Open, bytes: Buffer, torn: () => void): void {
  let at = 0;
  try {
    while (at < bytes.length) at += writeSync(file.fd, bytes, at);
  } catch (error) {
    if (at > 0) torn();
    throw error;
  } finally {
    file.size += at;
  }
}

/**
 * A message as one line of RFC 5424, whatever its original format: facility and severity are kept in the priority, and
 * its timestamp has a zone. Control characters, mainly newlines, are escaped as in rsyslog: `#012`.
 */
export function lineOf(message: SyslogMessage): string {
  const { facility, severity, timeMs, host, program, pid, messageId, data, text } = message;
  const words = [new Date(timeMs).toISOString(), host, program, pid, messageId, data].map((word) => word ?? '-');
  return escaped(`<${facility * 8 + severity}>1 ${words.join(' ')} ${text}`);
}

/**
 * Writes control characters as octal numbers. Tabs are kept, since log lines contain them. The lookbehind keeps newlines
 * within a text from being matched again from each of them.
 */
function escaped(text: string): string {
  return text
    .replace(/(?<![\0\r\n])[\0\r\n]+$/, '')
    .replaceAll(/(?!\t)\p{Cc}/gu, (one) => `#${one.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
