/**
 * The part of `node:fs/promises` that kolla-core uses. A call is done when it returns, and its promise is settled; but a sync,
 * which on a busy disk takes seconds, runs in a thread, so that probes are answered meanwhile.
 */
import { done } from './runtime/errors.ts';
import { POLLIN, unwatch, watch } from './runtime/loop.ts';
import { AT } from './runtime/sys.ts';
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  futimesSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
  type Stats,
} from './fs.ts';

/** Runs a synchronous call, so that its error becomes a rejection. */
function settled<T>(call: () => T): Promise<T> {
  return new Promise((resolve) => resolve(call()));
}

const ENDED_BYTES = 8;

/** Resolves when the file is on disk. Rejects with the system's error. */
function synced(fd: number): Promise<void> {
  // The names that sudo may raise have no such call.
  const ended = 'syncAside' in sys ? sys.syncAside(fd) : -1;
  // Where no thread can be started either.
  if (ended < 0) return settled(() => fsyncSync(fd));
  return new Promise((resolve, reject) => {
    watch(ended, POLLIN, () => {
      const value = new Uint8Array(ENDED_BYTES);
      const length = sys.read(ended, value, 0, ENDED_BYTES, -1);
      unwatch(ended);
      sys.close(ended);
      try {
        done(length, 'read');
        done(1 - new DataView(value.buffer).getUint32(0, true), 'fsync');
        resolve();
      } catch (error) {
        reject(error);
      }
    });
  });
}

export class FileHandle implements AsyncDisposable {
  readonly fd: number;
  #isOpen = true;

  constructor(fd: number) {
    this.fd = fd;
  }

  stat(): Promise<Stats> {
    return settled(() => fstatSync(this.fd));
  }

  read<B extends Uint8Array>(
    buffer: B,
    offset: number,
    length: number,
    position: number | null,
  ): Promise<{ bytesRead: number; buffer: B }> {
    return settled(() => ({ bytesRead: readSync(this.fd, buffer, offset, length, position), buffer }));
  }

  readFile(encoding: 'utf8'): Promise<string> {
    return settled(() => readFileSync(this.fd, encoding));
  }

  /** From the current position, or at the end of a file that was opened for appending. */
  writeFile(content: Uint8Array | string): Promise<void> {
    return settled(() => {
      const bytes = typeof content === 'string' ? new Uint8Array(sys.encode(content)) : content;
      for (let at = 0; at < bytes.length;) at += writeSync(this.fd, bytes, at);
    });
  }

  appendFile(content: Uint8Array | string): Promise<void> {
    return this.writeFile(content);
  }

  truncate(length: number): Promise<void> {
    return settled(() => ftruncateSync(this.fd, length));
  }

  chown(uid: number, gid: number): Promise<void> {
    return settled(() => fchownSync(this.fd, uid, gid));
  }

  chmod(mode: number): Promise<void> {
    return settled(() => fchmodSync(this.fd, mode));
  }

  utimes(access: number, content: number): Promise<void> {
    return settled(() => futimesSync(this.fd, access, content));
  }

  sync(): Promise<void> {
    return synced(this.fd);
  }

  /** With the times of the file too. */
  datasync(): Promise<void> {
    return this.sync();
  }

  close(): Promise<void> {
    return settled(() => {
      if (this.#isOpen) closeSync(this.fd);
      this.#isOpen = false;
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

export function open(path: string, flags: string | number, mode?: number): Promise<FileHandle> {
  return settled(() => new FileHandle(openSync(path, flags, mode)));
}

export function stat(path: string): Promise<Stats> {
  return settled(() => statSync(path));
}

export function readdir(path: string): Promise<string[]> {
  return settled(() => readdirSync(path));
}

export function rename(from: string, to: string): Promise<void> {
  return settled(() => renameSync(from, to));
}

export function link(from: string, to: string): Promise<void> {
  return settled(() => linkSync(from, to));
}

export function unlink(path: string): Promise<void> {
  return settled(() => unlinkSync(path));
}

/** Removes a file, which may be missing. */
export function rm(path: string, _options: { readonly force: true }): Promise<void> {
  return settled(() => {
    const result = sys.unlink(AT.cwd, path, 0);
    if (result !== ENOENT) done(result, 'rm', path);
  });
}

const ENOENT = -2;
