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
  /** Device, inode, mode, links, uid, gid, size, atime, mtime and ctime in milliseconds, and blocks of 512 bytes. */
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
  /** Gives a file another name. */
  link(from: string, to: string): number;
  /** Frees the blocks of a range of an open file, which keeps its size and then reads as zeros there. */
  punch(fd: number, offset: number, length: number): number;
  /** A descriptor on which a 64-bit number can be read when the file is on disk: 1 plus the error's number. */
  syncAside(fd: number): number;
  /** Raises the soft limit of open files to the hard one, which is returned. */
  raiseOpenFiles(): number;
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
  /** Binds the address of a socket for datagrams. */
  bind(fd: number, address: Uint8Array): number;
  /** Returns the descriptor of a connection. */
  accept(fd: number): number;
  /** Closes the sending direction of a connection. */
  shutdown(fd: number): number;
  /** setsockopt() with a number. */
  option(fd: number, level: number, name: number, value: number): number;
  /** The result of a connect: 0, or minus errno. */
  outcome(fd: number): number;

  /** An inotify instance, non-blocking and close-on-exec; `read` gives struct inotify_event. */
  inotify(): number;
  /** @param events bits of IN_*. Returns the watch's number, the same for each path of a file */
  addWatch(fd: number, path: string, events: number): number;
  removeWatch(fd: number, watch: number): number;

  /** The state of a new digest: SHA-1, SHA-256. */
  hash(which: 1 | 256): ArrayBuffer;
  hashAdd(state: ArrayBuffer, bytes: Uint8Array): void;
  /** The digest; the state is zeroed. */
  hashEnd(state: ArrayBuffer): ArrayBuffer;

  /** The bytes as a gzip file, at the fastest level; undefined without memory. */
  gzip(bytes: Uint8Array): ArrayBuffer | undefined;
  /**
   * The first `most` bytes of a gzip file's content, whose own first bytes are given; undefined if it is damaged, or if
   * they end too early.
   */
  gunzip(start: Uint8Array, most: number): ArrayBuffer | undefined;

  /**
   * A context for TLS connections. Of names that sudo may raise, these calls and the sockets', inotify's, the digests' and gzip's
   * do not exist.
   * @param version the least one, as on the wire
   * @param ciphers of TLS 1.2, in OpenSSL's notation, as `groups` and `signatures`
   * @param bits of an RSA key in a chain, at least
   * @param digests names of those that sign nothing in a chain
   * @param chainBytes maximum size of a chain
   */
  tlsContext(
    version: number,
    ciphers: string,
    groups: string,
    signatures: string,
    bits: number,
    digests: readonly string[],
    chainBytes: number,
  ): number;
  /** Frees a context; its connections keep what they need. */
  tlsForget(context: number): void;
  /** Adds the CAs of a PEM text and returns their number; -1 if one is unreadable. */
  tlsTrust(context: number, pem: Uint8Array): number;
  /** Our certificates and key in PEM. Not 0: the certificate (1) or the key (2) is unusable, or is another's (3). */
  tlsIdentity(context: number, certificates: Uint8Array, key: Uint8Array): 0 | 1 | 2 | 3;
  /**
   * A connection on a descriptor, which stays the caller's.
   * @param name the certificate must be for this name or address; null: for any
   * @param sentName empty: none is sent
   * @param protocols of ALPN, each after its length
   */
  tlsOpen(
    context: number,
    fd: number,
    name: string | null,
    sentName: string,
    isVerified: boolean,
    protocols?: Uint8Array,
  ): number;
  /** 1: done; 0: the peer has closed; -1: wait for reading, -2: for writing; -3: failed. */
  tlsHandshake(tls: number): number;
  /** The number of bytes, and as tlsHandshake(). */
  tlsRead(tls: number, into: Uint8Array, offset: number, length: number): number;
  tlsWrite(tls: number, from: Uint8Array, offset: number, length: number): number;
  /** Sends the end of our data. */
  tlsShutdown(tls: number): number;
  /** Frees a connection and its keys. */
  tlsClose(tls: number): void;
  /** Status, library, reason, verdict on the chain, errno, name of the reason, text of the verdict. */
  tlsFailure(tls: number): readonly [number, number, number, number, number, string, string];
  /** The protocol of ALPN that the server has chosen; empty for none. */
  tlsProtocol(tls: number): string;
  /** The chain that was judged, in DER, or the certificates that the peer has sent. */
  tlsChain(tls: number): readonly ArrayBuffer[];
  /** Whether a certificate in DER is for this name or address. */
  tlsIsFor(certificate: Uint8Array, name: string): boolean;

  /**
   * A table of a log format (src/logship/tables/compile.ts), which is checked. As for TLS, these calls exist only for names that sudo
   * may not raise.
   * @throws TypeError if the table is not valid; so for the layout of logOpen()
   */
  logTable(bytes: Uint8Array): LogTable;
  /** A ZoneTable, as its bytes. */
  logZone(bytes: Uint8Array): LogZone;
  /** A file with that layout (src/logship/tables/layout.ts). It is freed with the object, or by logClose(). */
  logOpen(table: LogTable, zone: LogZone, layout: Uint8Array): LogFile;
  /** The file may not be used afterwards. */
  logClose(file: LogFile): void;
  /**
   * LineTable.place().
   * @param numbers a Float64Array's: in lastMs and nearMs, out the process and the time
   */
  logPlace(file: LogFile, numbers: ArrayBuffer, line: Uint8Array, last: Uint8Array | undefined): number;
  logResumes(file: LogFile, event: Uint8Array, line: Uint8Array): boolean;
  logDocument(file: LogFile, into: Uint8Array, at: number, text: Uint8Array, timeMs: number): number;
  /**
   * LineTable.scan(). Returns the reason to stop.
   * @param numbers in and out, in the order of src/engine/log-tables.ts
   * @param openings by day; without them documents have no action lines
   */
  logScan(
    file: LogFile,
    numbers: ArrayBuffer,
    chunk: Uint8Array,
    into: Uint8Array,
    openings: readonly { readonly day: number; readonly bytes: Uint8Array }[] | undefined,
    name: string,
  ): number;
  /**
   * The open events, which are then forgotten.
   * @param chunk that of the last scan, unchanged, unless the events are kept
   */
  logTake(file: LogFile, chunk: Uint8Array | undefined): readonly TakenEvent[];
  /** Copies the lines of the open events out of the last scan's chunk. Returns their size. */
  logKeep(file: LogFile): number;
  /** The smallest offset at which an open event starts; NaN if there is none. */
  logKeptFrom(file: LogFile): number;
  /** The digest of a line in ids. */
  logDigest(line: Uint8Array): string;

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
  /** Set by a command's module: called by the host whenever no job is pending. */
  turn?: () => void;
  /** Called with the reason of the last rejection without a handler, once no job is pending. Without it, that ends the process. */
  rejected?: (reason: unknown) => void;
}

/** Objects of the host. */
export interface LogTable {
  readonly log: 'table';
}
export interface LogZone {
  readonly log: 'zone';
}
export interface LogFile {
  readonly log: 'file';
}

/** Offset, end offset, time before that end, process, time, whether it is the event's own, lines, bytes, whether it is the last one, text. */
type TakenEvent = readonly [number, number, number, number, number, number, number, number, number, ArrayBuffer];

declare global {
  /** Exists only in kolla-core: build/core/ defines it around each bundle. */
  const sys: Sys;
}

/** Constants of Linux's fcntl.h. */
export const AT = { cwd: -100, noFollow: 0x100, removeDirectory: 0x200, emptyPath: 0x1000 } as const;

/** Constants of Linux's prctl.h. */
export const PRCTL = { dumpable: 4, childSubreaper: 36 } as const;
