/** For `catch` of a look at the disk: what is not there is undefined; any other error of the system stays one. */
export function ignoreAbsent(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
}

/** The same around a look without promises and threads, to wake one of which takes longer than the look. */
export function unlessAbsent<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    return ignoreAbsent(error);
  }
}
