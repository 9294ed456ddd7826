import { constants } from 'node:os';
import { SignalError } from '../core/errors.ts';

/** One per process; every wait uses its signal. */
export interface Stop extends Disposable {
  readonly signal: AbortSignal;
  /** Aborts for a reason other than a signal. The first reason is kept. */
  abort(reason: Error): void;
}

/** One AbortSignal per process. The first SIGTERM or SIGINT aborts it; the second exits at once. */
export function stopOnSignals(): Stop {
  const controller = new AbortController();
  let asked = false;
  const stop = (name: NodeJS.Signals) => {
    if (asked) endAtOnce(name);
    asked = true;
    controller.abort(new SignalError(name as 'SIGINT' | 'SIGTERM'));
  };
  const release = () => {
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  function endAtOnce(name: NodeJS.Signals): never {
    release();
    process.kill(process.pid, name);
    // PID 1 ignores signals by default.
    // eslint-disable-next-line unicorn/no-process-exit
    process.exit(128 + constants.signals[name]);
  }

  return { signal: controller.signal, abort: (reason) => controller.abort(reason), [Symbol.dispose]: release };
}
