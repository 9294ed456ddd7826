import { oneLine } from '../../core/one-line.ts';
import { findProgram, isRefusal } from '../../process/exec/index.ts';
import { start } from '../../process/run.ts';
import type { Punch, Refusal } from './hole-punch.ts';

/** Where distributions install the program; PATH is not trusted. */
const DIRECTORIES = '/usr/bin:/bin:/usr/sbin:/sbin';
const DEADLINE_MS = 30_000;
/** Number of the file's descriptor in the child. */
const CHILD_FD = 3;

/** How ranges are reclaimed on Node, or why they cannot be. src/engine/punch.ts is a system call. */
export function findPunch(): { readonly punch: Punch } | { readonly reason: string } {
  const found = findProgram('fallocate', DIRECTORIES);
  if (isRefusal(found)) return { reason: 'there is no fallocate; it comes with util-linux' };
  return { punch: fallocateWith(found.file) };
}

/**
 * Node has no fallocate(2). The child reopens our descriptor, so it is the same file whatever its name is now; that
 * requires write permission.
 */
function fallocateWith(program: string): Punch {
  return async (fd, range, signal) => {
    const where = ['--offset', String(range.start), '--length', String(range.end - range.start)];
    const words = ['--punch-hole', '--keep-size', ...where, `/proc/self/fd/${CHILD_FD}`];
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    try {
      const { code, err } = await start(program, words, {
        env: { LC_ALL: 'C' },
        signal: AbortSignal.any([signal, deadline]),
        graceMs: 0,
        descriptors: [fd],
      }).ended;
      signal.throwIfAborted();
      if (deadline.aborted) return refusalOf(`fallocate did not exit within ${DEADLINE_MS / 1000} s`);
      return code === 0 ? undefined : refusalOf(oneLine(err) || `fallocate exited with code ${code}`);
    } catch (error) {
      signal.throwIfAborted();
      return refusalOf(error instanceof Error ? error.message : String(error));
    }
  };
}

function refusalOf(reason: string): Refusal {
  return { isHere: !/unsupported|not supported|unrecognized option|invalid option|ENOENT/i.test(reason), reason };
}
