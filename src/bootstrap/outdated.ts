import type { KollaError } from '../core/errors.ts';

/**
 * What was read is not how things are now: another client was faster (409, 404), or it is unknown whether a request whose answer
 * was lost has been carried out. Reading again tells.
 */
export class Outdated extends Error {
  override name = 'Outdated';
  /** What to report when reading again does not settle it. */
  readonly final: KollaError;

  constructor(final: KollaError) {
    super(final.message, { cause: final });
    this.final = final;
  }
}
