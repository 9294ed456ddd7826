/**
 * kolla-core's system calls, implemented in native/: one object, created before the first line of a bundle runs. A
 * negative number is minus errno. Paths may be relative to an open directory (`AT.cwd` for the working directory);
 * invalid UTF-8 in names is represented by U+DC80 to U+DCFF.
 */
export interface Sys {
  readonly argv: readonly ArrayBuffer[];
  /** Variables of the caller as NAME=value. */
  readonly environ: readonly ArrayBuffer[];

  open(directory: number, path: string, flags: number, mode: number): number;
  close(fd: number): number;
  sync(fd: number): number;
  truncate(fd: number, length: number): number;
  /** A negative position means the descriptor's current offset. */
  read(fd: number, into: Uint8Array, offset: number, length: number, position: number): number;
  write(fd: number, from: Uint8Array, offset: number, length: number, position: number): number;
  /** Device, inode, mode, links, uid, gid, size, and atime, mtime and ctime in milliseconds. */
  stat(directory: number, path: string, flags: number): readonly number[] | number;
  /** Length of the target in bytes; the buffer's length if it may be truncated. */
  readlink(directory: number, path: string, into: Uint8Array): number;
  /** Reads the next entries of an open directory (src/engine/entries.ts). Returns the number of bytes, 0 at the end. */
  entries(fd: number, into: Uint8Array): number;
  mkdir(directory: number, path: string, mode: number): number;
  unlink(directory: number, path: string, flags: number): number;
  access(directory: number, path: string, how: number): number;
  /** An empty path means the descriptor itself. */
  chmod(directory: number, path: string, mode: number, flags: number): number;
  chown(directory: number, path: string, uid: number, gid: number, flags: number): number;
  rename(fromDirectory: number, from: string, toDirectory: number, to: string): number;
  symlink(target: string, directory: number, path: string): number;
  /** atime and mtime as seconds since the epoch and nanoseconds, in 64 bits each. */
  setTimes(fd: number, times: ArrayBuffer): number;

  /** The ID with this number: uid, euid, gid, egid, pid, ppid (0 to 5). */
  id(which: 0 | 1 | 2 | 3 | 4 | 5): number;
  /** Sets the umask and returns the previous one. */
  umask(mask: number): number;
  /** `groups` is the buffer of a Uint32Array. */
  setGroups(gids: ArrayBuffer): number;
  setGid(gid: number): number;
  setUid(uid: number): number;
  kill(pid: number, signal: number): number;
  /** @param option one of PRCTL */
  prctl(option: number, value: number): number;
  /** Returns only if it fails. */
  execve(file: string, words: readonly string[], env: readonly string[]): number;
  /**
   * Starts a child in its own process group, with these descriptors of ours (an Int32Array's) as its 0, 1, 2, ...;
   * returns its pid.
   * @param death the signal that it gets when this process dies; 0 for none
   */
  spawn(
    file: string,
    words: readonly string[],
    env: readonly string[],
    descriptors: ArrayBuffer,
    death: number,
  ): number;
  /** Returns the pid of an exited child, or 0 if there is none. Its status is stored in the buffer of an Int32Array. */
  wait(pid: number, status: ArrayBuffer): number;
  /** Stores the read end and the write end in the buffer of an Int32Array. */
  pipe(ends: ArrayBuffer): number;
  /**
   * Sets the disposition: 0 default, 1 ignored, 2 queued. Returns the descriptor from which queued signals are read,
   * one byte each.
   */
  onSignal(signal: number, how: 0 | 1 | 2): number;
  /** A queued signal ends the process after a second, unless this is called. */
  fetched(): void;
  /** Two 32-bit numbers per descriptor: itself; the requested events, and above them in 16 bits the returned ones. */
  poll(rows: ArrayBuffer, timeoutMs: number): number;
  /** Milliseconds since the epoch (0), of the monotonic clock (1), or of this process's CPU time (2). */
  now(clock: 0 | 1 | 2): number;
  isTerminal(fd: number): boolean;
  exit(code: number): never;

  /** The socket is non-blocking and close-on-exec. */
  socket(family: number, type: number, protocol: number): number;
  /** An address consists of the bytes of a sockaddr (src/engine/net/address.ts). */
  connect(fd: number, address: Uint8Array): number;
  /** Stores the local (0) or the peer's address (1) and returns its length. */
  address(fd: number, end: 0 | 1, into: Uint8Array): number;
  /**
   * Binds the address and listens.
   * @param backlog maximum number of pending connections
   */
  listen(fd: number, address: Uint8Array, backlog: number): number;
  /** Returns the descriptor of a connection. */
  accept(fd: number): number;
  /** Closes the sending direction of a connection. */
  shutdown(fd: number): number;
  /** The result of a connect: 0, or minus errno. */
  outcome(fd: number): number;

  /** The text; undefined if the bytes are not UTF-8. */
  decode(bytes: Uint8Array, offset: number, length: number): string | undefined;
  /** Writes text as UTF-8, and U+DC80 to U+DCFF as the bytes that they represent in names. */
  encode(text: string): ArrayBuffer;
  /** Returns a number whose sign is the order of the two. */
  compare(a: Uint8Array, b: Uint8Array): number;

  /** Time after which running code is stopped by an uncatchable exception; 0 means never. */
  deadline(milliseconds: number): void;
  /** Clears the C library's environment; `environ` is kept. */
  forget(): void;
  /** Memory threshold of the cycle collector. Acyclic garbage is always freed immediately. */
  cyclesFrom(bytes: number): void;
  /** Sets the exit code and the message for an uncaught exception. */
  failsWith(code: number, said: string): void;
  /** Runs another linked script and returns its result. */
  asset(name: string): unknown;
}

declare global {
  /** Exists only in kolla-core: build/core/ defines it around each bundle. */
  const sys: Sys;
}

/** Constants of Linux's fcntl.h. */
export const AT = { cwd: -100, noFollow: 0x100, removeDirectory: 0x200, emptyPath: 0x1000 } as const;

/** Constants of Linux's prctl.h. */
export const PRCTL = { dumpable: 4, childSubreaper: 36 } as const;
