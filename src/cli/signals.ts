import { SignalError } from './errors.ts';

/**
 * One AbortSignal for the process. The first SIGTERM or SIGINT aborts it; the second finds the default action again
 * and ends us at once, for the person who means it.
 */
export function stopOnSignals(): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals) => {
    release();
    controller.abort(new SignalError(name as 'SIGINT' | 'SIGTERM'));
  };
  const release = () => {
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return { signal: controller.signal, [Symbol.dispose]: release };
}
