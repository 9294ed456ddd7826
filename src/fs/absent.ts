import { codeOf } from '../core/errors.ts';

/** For the `catch` of file system calls: returns undefined for a missing path and rethrows any other system error. */
export function ignoreAbsent(error: unknown): undefined {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
}

/** The result of a synchronous call, which is faster than waking a thread; undefined for a missing path. */
export function unlessAbsent<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    return ignoreAbsent(error);
  }
}
