import { UsageError } from '../../core/errors.ts';
import { wrong, type Source } from '../grammar/source.ts';

/** Something that kubernetes-entrypoint left out with a line in its log, and so did not wait for. */
class LeftOutError extends UsageError {
  override name = 'LeftOutError';
  /** Without what became of it. */
  readonly what: string;

  constructor(what: string) {
    super(`${what}; kubernetes-entrypoint went on without it, as KOLLA_POD_COMPAT=lenient does`);
    this.what = what;
  }
}

/** How input is taken that kubernetes-entrypoint left out. */
export interface Way {
  readonly isLenient: boolean;
  readonly warn: (message: string) => void;
}

/** What is wrong at a column, where kubernetes-entrypoint went on without it. */
export function leftOut(source: Source, column: number, why: string): LeftOutError {
  return new LeftOutError(wrong(source, column, why).message);
}

/** The attempt's result; undefined where leniency was asked for and something is left out, which is said. */
export function orLeaveOut<T>({ isLenient, warn }: Way, attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch (error) {
    if (!isLenient || !(error instanceof LeftOutError)) throw error;
    warn(`KOLLA_POD_COMPAT=lenient: left out: ${error.what}`);
    return undefined;
  }
}
