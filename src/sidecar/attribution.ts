/**
 * Whose callback was it? Everything that a role begins (timers, sockets, promises) runs in its own async context, so what is
 * thrown and not caught can be charged to the role that it came from, and to that one alone.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Who is told of what was thrown in its context. */
interface Charged {
  readonly crashed: (error: unknown) => void;
}

const context = new AsyncLocalStorage<Charged>();

/** Runs work so that all that it begins is charged to this one. */
export function inAttempt<T>(attempt: Charged, work: () => Promise<T>): Promise<T> {
  return context.run(attempt, async () => await work());
}

/** What is thrown in a role's context goes to the role, until it is disposed of. What belongs to no role ends the process, as ever. */
export function chargeUncaught(): Disposable {
  return takeUncaught((error) => {
    const charged = context.getStore();
    charged?.crashed(error);
    return charged !== undefined;
  });
}

/**
 * Takes what is thrown and not caught, also what promises reject with, before it ends the process; until it is
 * disposed of. One at a time.
 * @param take runs in the async context of what threw; false: it is not its own, and ends the process
 */
function takeUncaught(take: (error: unknown) => boolean): Disposable {
  process.setUncaughtExceptionCaptureCallback((error) => {
    if (!take(error)) for (const end of process.listeners('uncaughtException')) end(error, 'uncaughtException');
  });
  return { [Symbol.dispose]: () => process.setUncaughtExceptionCaptureCallback(null) };
}
