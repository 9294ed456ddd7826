import { codeOf, reasonOf } from '../../core/errors.ts';
import type { DedupedWarnings } from '../report/deduped-warnings.ts';

/** Files that could not be opened. */
export class Unopened {
  readonly #warnings: DedupedWarnings;
  readonly #errors = new Map<string, Error>();

  constructor(warnings: DedupedWarnings) {
    this.#warnings = warnings;
  }

  /** Why, by path. */
  get errors(): ReadonlyMap<string, Error> {
    return this.#errors;
  }

  opened(path: string): void {
    this.#warnings.over(path, `${path} can be read now`);
    this.#errors.delete(path);
  }

  /** Says why, unless the file is gone. */
  failed(path: string, error: unknown): void {
    this.#errors.delete(path);
    if (codeOf(error) === 'ENOENT') return;
    this.#errors.set(path, error as Error);
    this.#warnings.warn(path, `cannot read ${path}: ${reasonOf(error)}`);
  }
}
