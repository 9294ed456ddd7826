/** The part of Node's `process` that kolla-core uses. */
import { done, systemError } from './runtime/errors.ts';
import { existsSync, readFileSync, realpathSync } from './fs.ts';
import { nameOf } from './names.ts';
import { OutputQueue, type Written } from './output-queue.ts';
import { forProcess, POLLIN, POLLOUT, setImmediate, unwatch, watch } from './runtime/loop.ts';
import { SIGNAL_NAMES, signalNumber, type SignalName } from './signals.ts';

type Listener = (name: SignalName) => void;
type ErrorListener = (error: Error) => void;

/** stdout and stderr: unbuffered for text, which must be written before execve; bytes are written as the reader takes them. */
export class Stream {
  readonly fd: number;
  readonly isTTY?: true;
  readonly columns?: number;
  readonly writableLength = 0;
  #listeners: ErrorListener[] = [];
  readonly #queue: OutputQueue;

  constructor(fd: number) {
    this.fd = fd;
    this.#queue = new OutputQueue(fd);
    if (sys.isTerminal(fd)) this.isTTY = true;
  }

  on(event: string, listener: ErrorListener): this {
    if (event === 'error') this.#listeners.push(listener);
    return this;
  }

  off(event: string, listener: ErrorListener): this {
    if (event === 'error') this.#listeners = this.#listeners.filter((one) => one !== listener);
    return this;
  }

  listenerCount(event: string, listener?: ErrorListener): number {
    if (event !== 'error') return 0;
    return this.#listeners.filter((one) => listener === undefined || one === listener).length;
  }

  /**
   * @param content a text is written at once, unless bytes wait
   * @param then called when it is written. With bytes also, and with the error, when it cannot be
   */
  write(content: string | Uint8Array, then?: Written): boolean {
    const bytes = typeof content === 'string' ? new Uint8Array(sys.encode(content)) : content;
    if (typeof content !== 'string' || !this.#queue.isEmpty) {
      this.#queue.push(bytes, (error) => {
        then?.(error);
        if (error !== undefined) setImmediate(() => this.#fail(error));
      });
      return false;
    }
    const failure = writeAll(this.fd, bytes);
    if (failure !== undefined) setImmediate(() => this.#fail(failure));
    if (then !== undefined) setImmediate(then);
    return true;
  }

  #fail(error: Error): void {
    if (this.#listeners.length === 0) throw error;
    for (const listener of this.#listeners) listener(error);
  }
}

const [EINTR, EAGAIN] = [-4, -11];

/** Waits for a pipe that another process has set to non-blocking mode. */
export function writeAll(fd: number, bytes: Uint8Array): Error | undefined {
  for (let at = 0; at < bytes.length;) {
    const written = sys.write(fd, bytes, at, bytes.length - at, -1);
    if (written === EAGAIN) sys.poll(Int32Array.of(fd, POLLOUT).buffer, -1);
    else if (written < 0 && written !== EINTR) return systemError(written, 'write');
    else if (written > 0) at += written;
  }
  return undefined;
}

const listeners = new Map<string, Set<Listener>>();
const [DEFAULT, QUEUED] = [0, 2] as const;
let queue = -1;

function listen(name: string, listener: Listener): void {
  const own = listeners.get(name) ?? new Set();
  listeners.set(name, own.add(listener));
  if (own.size > 1) return;
  queue = done(sys.onSignal(signalNumber(name), QUEUED), 'sigaction');
  forProcess(() => watch(queue, POLLIN, deliver, false));
}

function deliver(): void {
  const bytes = new Uint8Array(64);
  const length = Math.max(0, sys.read(queue, bytes, 0, bytes.length, -1));
  // After the read: it may have read a signal that came in between, whose alarm nothing else would cancel.
  sys.fetched();
  for (const number of bytes.subarray(0, length)) {
    const name = SIGNAL_NAMES[number - 1]!;
    for (const listener of listeners.get(name) ?? []) listener(name);
  }
}

type BugListener = (error: unknown, origin?: string) => void;
const UNCAUGHT = 'uncaughtException';
const bugListeners = new Set<BugListener>();
let capture: BugListener | undefined;

/**
 * Handles an error that a callback of the loop has thrown, and a rejection without a handler: calls listeners, or exits through
 * native/main.c.
 */
export function uncaught(error: unknown): void {
  if (capture !== undefined) return capture(error);
  if (bugListeners.size === 0) throw error;
  for (const listener of bugListeners) listener(error);
}

function forget(name: string, some: (listener: Listener) => boolean): void {
  const own = listeners.get(name);
  if (own === undefined) return;
  for (const listener of own) if (some(listener)) own.delete(listener);
  if (own.size === 0) {
    listeners.delete(name);
    sys.onSignal(signalNumber(name), DEFAULT);
  }
  if (listeners.size === 0) unwatch(queue);
}

/** Callback for SIGCHLD, because loop.ts knows nothing about processes. */
export const onChild = (call: Listener): void => listen('SIGCHLD', call);

const [uid, gid, pid, ppid] = [sys.id(0), sys.id(2), sys.id(4), sys.id(5)];
const given = sys.argv.map((word) => nameOf(new Uint8Array(word)));
const [argv0 = ''] = given;

function environment(): Record<string, string> {
  return Object.fromEntries(
    sys.environ.flatMap((variable) => {
      const entry = nameOf(new Uint8Array(variable));
      const at = entry.indexOf('=', 1);
      return at === -1 ? [] : [[entry.slice(0, at), entry.slice(at + 1)]];
    }),
  );
}

export const env = environment();

export function envOf(variables: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
}

/** The ID for clock_gettime of this process's CPU time. */
const PROCESS_CPU = 2;

export const process = {
  argv0,
  /** As in Node: two entries before the caller's arguments. */
  argv: [argv0, ...given],
  env,
  pid,
  ppid,
  exitCode: undefined as number | undefined,
  /** The running module. It is never freed, because that takes a tenth of a start. */
  main: undefined as unknown,
  stdout: new Stream(1),
  stderr: new Stream(2),
  /** For paths on the command line, which path-browserify resolves. */
  cwd: () => realpathSync('.'),
  getuid: () => uid,
  geteuid: () => sys.id(1),
  getgid: () => gid,
  getegid: () => sys.id(3),
  /** All CPU time is in `user`, since callers add both. */
  cpuUsage: () => ({ user: sys.now(PROCESS_CPU) * 1000, system: 0 }),
  memoryUsage: {
    rss: () => 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]),
  },
  /** Supplementary groups including the effective one, as in Node. */
  getgroups(): number[] {
    const line = /^Groups:(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
    const groups = line.split(/\s+/).filter((word) => word !== '');
    return [...new Set([...groups.map(Number), sys.id(3)])];
  },
  umask() {
    const mask = sys.umask(0o077);
    sys.umask(mask);
    return mask;
  },
  /** Groups of a user in /etc/group, plus the given one. */
  initgroups(user: string, group: number): void {
    const groups = existsSync('/etc/group') ? readFileSync('/etc/group', 'utf8').split('\n') : [];
    const own = groups
      .map((line) => line.split(':'))
      .filter(([, , , members = '']) => members.split(',').includes(user));
    done(sys.setGroups(Uint32Array.from(new Set([group, ...own.map(([, , id]) => Number(id))])).buffer), 'initgroups');
  },
  setgid: (id: number): void => void done(sys.setGid(id), 'setgid'),
  setuid: (id: number): void => void done(sys.setUid(id), 'setuid'),
  on(name: string, listener: Listener | BugListener): void {
    if (name === UNCAUGHT) bugListeners.add(listener as BugListener);
    else listen(name, listener);
  },
  off(name: string, listener: Listener | BugListener): void {
    if (name === UNCAUGHT) bugListeners.delete(listener as BugListener);
    else forget(name, (one) => one === listener);
  },
  listeners: (_name: typeof UNCAUGHT): readonly BugListener[] => [...bugListeners],
  /** Until null is set, gets errors instead of the listeners. */
  setUncaughtExceptionCaptureCallback: (call: BugListener | null): void => void (capture = call ?? undefined),
  removeAllListeners: (name: string): void => forget(name, () => true),
  kill: (id: number, signal: string | number): boolean =>
    done(sys.kill(id, typeof signal === 'number' ? signal : signalNumber(signal)), 'kill') === 0,
  exit(code?: number): never {
    return sys.exit(code ?? process.exitCode ?? 0);
  },
  execve(file: string, words: readonly string[], variables: Readonly<Record<string, string | undefined>>): never {
    throw systemError(sys.execve(file, words, envOf(variables)), 'execve', file);
  },
};
