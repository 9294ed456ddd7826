import { existsSync, readlinkSync, statSync } from 'node:fs';
import { nextTurn } from '../../core/next-turn.ts';
import { insideHint, retry } from '../dependency/retry.ts';
import type { PathKind } from '../dependency/dependency.ts';
import { met, skipped, pending, type WaitState } from '../dependency/verdict.ts';
import { refusalOf, tryDial } from '../../net/dial/dial.ts';

/**
 * Polling interval. A stat takes little time, and not every file system reports changes. Each stat has its own turn of
 * the event loop, so that a hundred of them do not delay a signal.
 */
const LOOK_AGAIN = { minMs: 50, maxMs: 500 };

export const file: PathKind = {
  form: 'path',
  word: 'file',
  aliases: [],
  means: 'the file or directory exists (links are followed); with a trailing `/` it must be a directory',
  make: ({ path, isNegated }, { self }) => ({
    hint: () => insideHint(self, path),
    wait: (report, signal) => retry(() => look(path, isNegated), { isNegated, report, signal, backoff: LOOK_AGAIN }),
  }),
};

async function look(path: string, isNegated: boolean): Promise<WaitState> {
  await nextTurn();
  try {
    return met(statSync(path).isDirectory() ? 'exists, a directory' : 'is there');
  } catch (error) {
    return absence(path, error as NodeJS.ErrnoException, isNegated);
  }
}

/**
 * Judges a failed stat: only some errors mean that the path does not exist, for which `!` waits.
 * @param isNegated whether the wait is for absence
 */
function absence(path: string, { code = '' }: NodeJS.ErrnoException, isNegated: boolean): WaitState {
  if (code !== 'ENOENT' && code !== 'ENOTDIR')
    return skipped(`is not accessible: ${code === 'EACCES' ? 'permission denied' : code}`);
  const bare = path.replace(/\/+$/, '');
  const target = linkTarget(bare);
  if (code === 'ENOTDIR' && existsSync(bare)) return pending('exists, but is not a directory');
  const absent = isNegated ? 'does not exist' : 'does not exist yet';
  return pending(target === undefined ? absent : `a link to ${target}, which ${absent}`);
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

export const socket: PathKind = {
  form: 'path',
  word: 'socket',
  aliases: ['unix'],
  means: 'a process accepts connections on that Unix socket',
  make: ({ path, isNegated }, { self }) => ({
    hint: () => insideHint(self, path),
    wait: (report, signal) =>
      retry((bounded) => knock(path, isNegated, bounded), { isNegated, report, signal, backoff: LOOK_AGAIN }),
  }),
};

async function knock(path: string, isNegated: boolean, signal: AbortSignal): Promise<WaitState> {
  await nextTurn();
  try {
    // Connecting to a plain file is refused as well, like to a socket left behind.
    if (!statSync(path).isSocket()) return pending('exists, but is not a socket');
  } catch (error) {
    return absence(path, error as NodeJS.ErrnoException, isNegated);
  }
  const error = await tryDial({ path }, signal);
  if (error === undefined) return met('accepts connections');
  const refusal = refusalOf(error, path);
  // A socket exists if it is busy (EAGAIN) or the connection is not permitted (EACCES).
  return error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? pending(refusal) : skipped(refusal);
}
