/** A temporary file of this age, or older than this process, belongs to a run that has exited. */
const STALE_MS = 60_000;

/** A file's name until it is renamed: hidden, unique, and without the file's suffix. */
export function temporaryName(name: string): string {
  // Random without node:crypto, which costs more to load than writing a file.
  const suffix = Math.floor(Math.random() * 2 ** 24)
    .toString(16)
    .padStart(6, '0');
  return `${prefixOf(name)}${suffix}`;
}

/**
 * Temporary files with an older modification time belong to runs that have exited. The kernel's file clock lags by up
 * to a tick, so such a file may also belong to a concurrent run that has just started; that run then writes its file
 * again.
 */
export function staleBefore(): number {
  return Math.max(Date.now() - STALE_MS, performance.timeOrigin);
}

/** Prefix of all temporary files for a name. */
export function prefixOf(name: string): string {
  // Names, including the temporary file's, are limited to 255 bytes. 66 characters are at most 198 bytes in UTF-8.
  const whole = name.length <= 66 ? name : Buffer.from(name).subarray(0, 200).toString();
  return `.${whole}.kolla-`;
}
