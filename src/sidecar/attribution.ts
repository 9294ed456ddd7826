/**
 * Attributes uncaught errors: everything started by a component (timers, sockets, promises) runs in its own async
 * context, so an uncaught error can be charged to that component alone.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Receives errors thrown in its context. */
interface Charged {
  readonly crashed: (error: unknown) => void;
}

const context = new AsyncLocalStorage<Charged>();

/** Runs work so that errors of everything it starts are charged to this attempt. */
export function inAttempt<T>(attempt: Charged, work: () => Promise<T>): Promise<T> {
  return context.run(attempt, async () => await work());
}

/** Passes errors thrown in a component's context to it, until disposed. Other errors end the process, as usual. */
export function chargeUncaught(): Disposable {
  return takeUncaught((error) => {
    const charged = context.getStore();
    charged?.crashed(error);
    return charged !== undefined;
  });
}

/**
 * Handles uncaught errors and rejections before they end the process; until disposed. One at a time.
 * @param take runs in the async context of the error; false: not handled, so it ends the process
 */
function takeUncaught(take: (error: unknown) => boolean): Disposable {
  process.setUncaughtExceptionCaptureCallback((error) => {
    if (!take(error)) for (const end of process.listeners('uncaughtException')) end(error, 'uncaughtException');
  });
  return { [Symbol.dispose]: () => process.setUncaughtExceptionCaptureCallback(null) };
}
