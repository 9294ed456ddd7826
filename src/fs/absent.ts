/** For the `catch` of file system calls: returns undefined for a missing path and rethrows any other system error. */
export function ignoreAbsent(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
}

/** The same for synchronous calls, which are faster than waking a thread. */
export function unlessAbsent<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    return ignoreAbsent(error);
  }
}
