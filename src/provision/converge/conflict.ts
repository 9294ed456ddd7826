import type { KollaError } from '../../core/errors.ts';

/**
 * The state has changed since it was read: another client was faster (409, 404), or the outcome of a request with a
 * lost response is unknown. It must be read again.
 */
export class ConflictError extends Error {
  override name = 'ConflictError';
  /** The error to report if reading again does not help. */
  declare readonly cause: KollaError;

  constructor(cause: KollaError) {
    super(cause.message, { cause });
  }
}
