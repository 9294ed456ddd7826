import { KollaError, NotPermittedError, UnavailableError, messageOf } from '../core/errors.ts';

/** What the system answers to who may not write. */
const REFUSED = new Set(['EACCES', 'EPERM', 'EROFS']);

/**
 * What to throw where something could not be written: NotPermittedError with the fix where the system refuses, else
 * UnavailableError. What is no error of the system is a mistake of ours, or says already what is wrong, and stays as it is.
 * @param what `cannot write /etc/x`
 */
export function writeError(what: string, fix: string, cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (cause instanceof KollaError || code === undefined) return cause;
  const message = `${what}: ${messageOf(cause)}`;
  return REFUSED.has(code)
    ? new NotPermittedError(`${message}; ${fix}`, { cause })
    : new UnavailableError(message, { cause });
}
