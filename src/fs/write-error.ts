import { codeOf, KollaError, messageOf, NotPermittedError, UnavailableError } from '../core/errors.ts';

/** The system's errors for a missing permission. */
const REFUSED = new Set(['EACCES', 'EPERM', 'EROFS']);

/**
 * The error to throw for a failed write: NotPermittedError with the fix for a missing permission, else
 * UnavailableError. An error that is not the system's is a bug, or has its message already, and is kept.
 * @param what `cannot write /etc/x`
 */
export function writeError(what: string, fix: string, cause: unknown): unknown {
  const code = codeOf(cause);
  if (cause instanceof KollaError || code === undefined) return cause;
  const message = `${what}: ${messageOf(cause)}`;
  return REFUSED.has(code)
    ? new NotPermittedError(`${message}; ${fix}`, { cause })
    : new UnavailableError(message, { cause });
}
