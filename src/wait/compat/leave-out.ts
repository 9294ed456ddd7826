import { UsageError } from '../../core/errors.ts';
import { wrong, type Source } from '../grammar/source.ts';

/** An entry that kubernetes-entrypoint skipped with a log line and did not wait for. */
class LeftOutError extends UsageError {
  override name = 'LeftOutError';
  /** The problem, without its location. */
  readonly what: string;

  constructor(what: string) {
    super(`${what}; kubernetes-entrypoint ignored it, as KOLLA_POD_COMPAT=lenient does`);
    this.what = what;
  }
}

/** What to do with input that kubernetes-entrypoint skipped. */
export interface Leniency {
  readonly isLenient: boolean;
  readonly warn: (message: string) => void;
}

/** The error for input at a column that kubernetes-entrypoint skipped. */
export function leftOut(source: Source, column: number, why: string): LeftOutError {
  return new LeftOutError(wrong(source, column, why).message);
}

/** The result of the attempt. In lenient mode, if the input is to be skipped, logs this and returns undefined. */
export function skipIfLenient<T>({ isLenient, warn }: Leniency, attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch (error) {
    if (!isLenient || !(error instanceof LeftOutError)) throw error;
    warn(`KOLLA_POD_COMPAT=lenient: skipped: ${error.what}`);
    return undefined;
  }
}
