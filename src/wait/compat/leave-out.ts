import { UsageError } from '../../core/errors.ts';
import { wrong, type Source } from '../grammar/source.ts';

/** An entry that kubernetes-entrypoint skipped with a log line, without waiting for it. */
class LeftOutError extends UsageError {
  override name = 'LeftOutError';
  /** Only the problem. */
  readonly what: string;

  constructor(what: string) {
    super(`${what}; kubernetes-entrypoint ignored it, as KOLLA_POD_COMPAT=lenient does`);
    this.what = what;
  }
}

/** How to handle input that kubernetes-entrypoint skipped. */
export interface Way {
  readonly isLenient: boolean;
  readonly warn: (message: string) => void;
}

/** A problem at a column that kubernetes-entrypoint skipped. */
export function leftOut(source: Source, column: number, why: string): LeftOutError {
  return new LeftOutError(wrong(source, column, why).message);
}

/** The attempt's result; in lenient mode undefined if something is skipped, which is logged. */
export function orLeaveOut<T>({ isLenient, warn }: Way, attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch (error) {
    if (!isLenient || !(error instanceof LeftOutError)) throw error;
    warn(`KOLLA_POD_COMPAT=lenient: skipped: ${error.what}`);
    return undefined;
  }
}
