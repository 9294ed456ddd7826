/**
 * Attributes uncaught errors: everything started by a component (timers, sockets, promises) runs in its own async
 * context, so an uncaught error can be charged to that component alone. In kolla-core a context is that of a turn of the event
 * loop: a component's own callback, and the promises' jobs that follow (src/engine/runtime/loop.ts).
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Receives errors that are thrown in its context. */
interface Charged {
  readonly crashed: (error: unknown) => void;
}

const context = new AsyncLocalStorage<Charged>();

/** Runs work, and attributes errors of everything it starts to this attempt. */
export function inAttempt<T>(attempt: Charged, work: () => Promise<T>): Promise<T> {
  return context.run(attempt, async () => await work());
}

/**
 * Until disposed, passes errors that are thrown in a component's context to that component. Other errors end the
 * process, as usual.
 */
export function chargeUncaught(): Disposable {
  return takeUncaught((error) => {
    const charged = context.getStore();
    charged?.crashed(error);
    return charged !== undefined;
  });
}

/**
 * Handles uncaught errors and rejections before they end the process; until disposed. One at a time.
 * @param take runs in the async context of the error; returns false if it does not handle the error, which then ends
 * the process
 */
function takeUncaught(take: (error: unknown) => boolean): Disposable {
  process.setUncaughtExceptionCaptureCallback((error) => {
    if (!take(error)) for (const end of process.listeners('uncaughtException')) end(error, 'uncaughtException');
  });
  return { [Symbol.dispose]: () => process.setUncaughtExceptionCaptureCallback(null) };
}
