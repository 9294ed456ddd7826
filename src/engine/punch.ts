/** src/logship/reclaim/punch.ts by fallocate(2). */
import type { Punch } from '../logship/reclaim/hole-punch.ts';
import { codeOf, messageOf } from '../core/errors.ts';
import { closeSync, constants, openSync } from './fs.ts';
import { done } from './runtime/errors.ts';

/** The file system or the kernel has no such call. */
const UNSUPPORTED = new Set(['ENOTSUP', 'ENOSYS']);

/** Opens the descriptor's file again for writing, so it is the same file whatever its name is now. */
const punch: Punch = (fd, { start, end }, signal) => {
  if (signal.aborted) return Promise.reject(signal.reason as Error);
  try {
    const own = openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      done(sys.punch(own, start, end - start), 'fallocate');
      return Promise.resolve(undefined);
    } finally {
      closeSync(own);
    }
  } catch (error) {
    return Promise.resolve({ isHere: !UNSUPPORTED.has(codeOf(error) ?? ''), reason: messageOf(error) });
  }
};

export function findPunch(): { readonly punch: Punch } | { readonly reason: string } {
  return { punch };
}
