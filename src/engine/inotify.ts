/**
 * `watch` of `node:fs` for one file or directory, by inotify(7): one instance for the process, and in it one watch of the
 * kernel's for a file, which its watchers share.
 */
import { basename } from 'node:path';
import { done, systemError } from './runtime/errors.ts';
import { nameOf } from './names.ts';
import { POLLIN, unwatch, watch as whenReady } from './runtime/loop.ts';

/** As Node's: a file's content or attributes are a `change`, all else is a `rename`. */
type Listener = (event: 'change' | 'rename', name: string | null) => void;

/** IN_MODIFY and IN_ATTRIB. */
const CHANGES = 0x2 | 0x4;
/** IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE, IN_DELETE_SELF, IN_MOVE_SELF. */
const RENAMES = 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800;
/** Events were lost, of any file. */
const IN_Q_OVERFLOW = 0x4000;
/** The kernel's watch is over: the file was removed or unmounted. */
const IN_IGNORED = 0x8000;

/** struct inotify_event: watch, mask, cookie, length of the name, name and zeros. */
const [MASK, LENGTH, NAME] = [4, 12, 16];
const CHUNK_BYTES = 16_384;
const EAGAIN = -11;
/** The process is long-lived, so the cycle collector runs earlier than in a short-lived one. */
const CYCLES_FROM_BYTES = 2 * 1024 * 1024;

export class FSWatcher {
  readonly #number: number;
  readonly #name: string;
  readonly #listener: Listener;

  constructor(number: number, name: string, listener: Listener) {
    this.#number = number;
    this.#name = name;
    this.#listener = listener;
  }

  /** There are no errors after the start. */
  on(_event: 'error', _listener: (error: Error) => void): this {
    return this;
  }

  close(): void {
    const own = watchers.get(this.#number);
    if (own?.delete(this) === true && own.size === 0) {
      watchers.delete(this.#number);
      sys.removeWatch(instance, this.#number);
    }
    closeUnused();
  }

  /** @param name of an entry of the directory; undefined for the file itself */
  tell(mask: number, name = this.#name): void {
    if (mask === IN_Q_OVERFLOW) this.#listener('rename', null);
    else this.#listener((mask & ~CHANGES) === 0 ? 'change' : 'rename', name);
  }
}

/** By the number of the kernel's watch. */
const watchers = new Map<number, Set<FSWatcher>>();
const CLOSED = -1;
let instance = CLOSED;

/** @throws the system's error */
export function watch(path: string, listener: Listener): FSWatcher {
  if (instance === CLOSED) {
    instance = done(sys.inotify(), 'watch', path);
    whenReady(instance, POLLIN, deliver);
    sys.cyclesFrom(CYCLES_FROM_BYTES);
  }
  const number = sys.addWatch(instance, path, CHANGES | RENAMES);
  if (number < 0) {
    closeUnused();
    throw systemError(number, 'watch', path);
  }
  const watcher = new FSWatcher(number, basename(path), listener);
  watchers.set(number, (watchers.get(number) ?? new Set()).add(watcher));
  return watcher;
}

function closeUnused(): void {
  if (watchers.size > 0 || instance === CLOSED) return;
  unwatch(instance);
  sys.close(instance);
  instance = CLOSED;
}

function deliver(): void {
  const chunk = new Uint8Array(CHUNK_BYTES);
  const length = sys.read(instance, chunk, 0, chunk.length, -1);
  if (length === EAGAIN) return;
  done(length, 'read');
  const view = new DataView(chunk.buffer);
  for (let at = 0; at < length; at += NAME + view.getUint32(at + LENGTH, true)) {
    const [number, mask] = [view.getInt32(at, true), view.getUint32(at + MASK, true)];
    const from = at + NAME;
    const name = view.getUint32(at + LENGTH, true) === 0 ? undefined : nameOf(chunk, from, chunk.indexOf(0, from));
    // A listener may close a watcher, which then is in its set no longer.
    for (const own of mask === IN_Q_OVERFLOW ? watchers.values() : [watchers.get(number) ?? []])
      for (const watcher of own) watcher.tell(mask, name);
    if ((mask & IN_IGNORED) !== 0) watchers.delete(number);
  }
}
