/**
 * kolla-core's own system calls, as native/ gives them: one object, made before the first line of a bundle runs. A number below 0
 * is minus errno. Paths may be relative to a directory that is held (`AT.cwd` for the working directory); names that are no UTF-8
 * have their bytes as U+DC80 to U+DCFF.
 */
export interface Sys {
  readonly argv: readonly ArrayBuffer[];
  /** NAME=value, as the caller gave them. */
  readonly environ: readonly ArrayBuffer[];

  open(directory: number, path: string, flags: number, mode: number): number;
  close(fd: number): number;
  sync(fd: number): number;
  truncate(fd: number, length: number): number;
  /** A position below 0 is the file's own. */
  read(fd: number, into: Uint8Array, offset: number, length: number, position: number): number;
  write(fd: number, from: Uint8Array, offset: number, length: number, position: number): number;
  /** Device, inode, mode, links, uid, gid, size, and milliseconds of access, content and inode. */
  stat(directory: number, path: string, flags: number): readonly number[] | number;
  /** How many bytes the target has; all of `into` where it may have been cut. */
  readlink(directory: number, path: string, into: Uint8Array): number;
  /** The next entries of an open directory (src/engine/entries.ts); how many bytes, 0 at its end. */
  entries(fd: number, into: Uint8Array): number;
  mkdir(directory: number, path: string, mode: number): number;
  unlink(directory: number, path: string, flags: number): number;
  access(directory: number, path: string, how: number): number;
  /** An empty path is the descriptor itself. */
  chmod(directory: number, path: string, mode: number, flags: number): number;
  chown(directory: number, path: string, uid: number, gid: number, flags: number): number;
  rename(fromDirectory: number, from: string, toDirectory: number, to: string): number;
  symlink(target: string, directory: number, path: string): number;
  /** Of access and of content: seconds since 1970 and nanoseconds, 64 bits each. */
  setTimes(fd: number, times: ArrayBuffer): number;

  /** uid, euid, gid, egid, pid, ppid: 0 to 5. */
  id(which: 0 | 1 | 2 | 3 | 4 | 5): number;
  /** Sets it; the one before. */
  umask(mask: number): number;
  /** A Uint32Array's. */
  setGroups(gids: ArrayBuffer): number;
  setGid(gid: number): number;
  setUid(uid: number): number;
  kill(pid: number, signal: number): number;
  /** Returns only where it fails. */
  execve(file: string, words: readonly string[], env: readonly string[]): number;
  /** A child in a process group of its own, with these descriptors of ours (an Int32Array's) as its 0, 1, 2, ...; its pid. */
  spawn(file: string, words: readonly string[], env: readonly string[], descriptors: ArrayBuffer): number;
  /** The pid of a child that has ended, 0: none has. Its status goes into an Int32Array's buffer. */
  wait(pid: number, status: ArrayBuffer): number;
  /** Into an Int32Array's buffer: the end to read from, the end to write to. */
  pipe(ends: ArrayBuffer): number;
  /** 0 default, 1 ignored, 2 queued; where queued ones are read, a byte each. */
  onSignal(signal: number, how: 0 | 1 | 2): number;
  /** A queued signal ends the process after a second unless this is called. */
  fetched(): void;
  /** Of each descriptor two 32-bit numbers: itself; the events asked for, and above them in 16 bits those found. */
  poll(rows: ArrayBuffer, timeoutMs: number): number;
  /** Milliseconds since 1970 (0), of the monotonic clock (1), or of processor time that this process has taken (2). */
  now(clock: 0 | 1 | 2): number;
  isTerminal(fd: number): boolean;
  exit(code: number): never;

  /** Without blocking, and closed by execve. */
  socket(family: number, type: number, protocol: number): number;
  /** Addresses are the bytes of a sockaddr (src/engine/net/address.ts). */
  connect(fd: number, address: Uint8Array): number;
  /** Of its own end (0) or the other (1); its length. */
  address(fd: number, end: 0 | 1, into: Uint8Array): number;
  /** Takes the address, and connections to it. @param backlog how many may wait to be accepted */
  listen(fd: number, address: Uint8Array, backlog: number): number;
  /** A connection's descriptor. */
  accept(fd: number): number;
  /** Nothing more is sent. */
  shutdown(fd: number): number;
  /** What has become of a connect: 0, or minus errno. */
  outcome(fd: number): number;

  /** Undefined for what is not UTF-8. */
  decode(bytes: Uint8Array, offset: number, length: number): string | undefined;
  /** As UTF-8, and U+DC80 to U+DCFF as the bytes that they stand for in names. */
  encode(text: string): ArrayBuffer;
  /** By its sign. */
  compare(a: Uint8Array, b: Uint8Array): number;

  /** From now until running code is stopped by an exception that can't be caught; 0: never. */
  deadline(milliseconds: number): void;
  /** Takes the environment from the C library; `environ` stays. */
  forget(): void;
  /** From so many bytes on cycles of objects are looked for; what is in none is freed at once, always. */
  cyclesFrom(bytes: number): void;
  /** For an exception that nothing catches: the exit code, and what is said before it. */
  failsWith(code: number, said: string): void;
  /** What another linked-in script gives. */
  asset(name: string): unknown;
}

declare global {
  /** Only in kolla-core: build/core/ puts it around each bundle. */
  const sys: Sys;
}

/** Of fcntl.h on Linux. */
export const AT = { cwd: -100, noFollow: 0x100, removeDirectory: 0x200, emptyPath: 0x1000 } as const;
