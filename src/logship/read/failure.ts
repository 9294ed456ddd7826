import { constants } from 'node:os';
import { isSystemError, messageOf, reasonOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { GoneError } from './gone.ts';
import type { Tail } from './tail.ts';

const { ESTALE, ENOTCONN } = constants.errno;
const DENIED = new Set(['EACCES', 'EPERM']);

/**
 * Whether each later call on the descriptor fails too: another NFS client removed the file, the FUSE server behind it
 * has ended, or it was removed while it was closed. Other errors, of a disk or of a server that is away, may pass.
 */
function isStale(error: NodeJS.ErrnoException): boolean {
  return error.errno === -ESTALE || error.errno === -ENOTCONN || error instanceof GoneError;
}

function reasonToRead(error: NodeJS.ErrnoException): string {
  // Node has no text for it.
  return error.errno === -ESTALE ? `stale file handle (ESTALE), ${error.syscall}` : messageOf(error);
}

interface FailuresOptions {
  readonly log: Log;
  /** Called when the tail's descriptor is stale. Returns whether its content is still reachable, or may be later. */
  readonly revive: (tail: Tail) => boolean;
  /** Called when nothing more of the tail can be read. */
  readonly lost: (tail: Tail, reason: string, isGone: boolean) => void;
}

/**
 * A file that cannot be read never stops the others: its first failure is logged, and it is tried again. If its
 * descriptor is stale, another one of the same content replaces it; otherwise its unread lines are lost.
 */
export class Failures {
  readonly #options: FailuresOptions;

  constructor(options: FailuresOptions) {
    this.#options = options;
  }

  /** Reads one chunk. The return value is as that of Tail.read. */
  read(tail: Tail, act: () => boolean): boolean {
    const hasMore = this.attempt(tail, () => {
      const more = act();
      if (tail.failure !== undefined) this.#options.log.info(`${tail.path} can be read again`);
      tail.failure = undefined;
      return more;
    });
    return hasMore === true;
  }

  /** Returns undefined if the system refused it. Throws other errors. */
  attempt<T>(tail: Tail, act: () => T): T | undefined {
    const { log, revive, lost } = this.#options;
    try {
      return act();
    } catch (error) {
      if (!isSystemError(error)) throw error;
      const reason = reasonToRead(error);
      const isFirst = tail.failure !== reason;
      tail.failure = reason;
      if (isStale(error) && !revive(tail)) lost(tail, reason, error instanceof GoneError);
      else if (isFirst) log.warn(`cannot read ${tail.path}: ${reason}`);
      return undefined;
    }
  }
}

/** Why a file cannot be read. */
export interface Unreadable {
  readonly reason: string;
  /** Whether its mode or owner denies it. */
  readonly isDenied: boolean;
}

/**
 * Why files cannot be read, by path.
 * @param unopened the errors with which files could not be opened
 * @param left paths that are left to a later start
 */
export function unreadable(
  tails: readonly Tail[],
  unopened: ReadonlyMap<string, Error>,
  left: Iterable<string>,
): ReadonlyMap<string, Unreadable> {
  const found = new Map<string, Unreadable>();
  for (const [path, error] of unopened)
    found.set(path, { reason: reasonOf(error), isDenied: isSystemError(error) && DENIED.has(error.code ?? '') });
  for (const path of left) found.set(path, { reason: 'it could not be read at the start', isDenied: false });
  for (const { path, failure } of tails)
    if (failure !== undefined) found.set(path, { reason: failure, isDenied: false });
  return found;
}
