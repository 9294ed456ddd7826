import type { KollaError } from '../core/errors.ts';

/**
 * The state has changed since it was read: another client was faster (409, 404), or the outcome of a request with a
 * lost response is unknown. It must be read again.
 */
export class Outdated extends Error {
  override name = 'Outdated';
  /** The error to report if reading again does not help. */
  readonly final: KollaError;

  constructor(final: KollaError) {
    super(final.message, { cause: final });
    this.final = final;
  }
}
