/**
 * Whose callback was it? Everything that a role begins (timers, sockets, promises) runs in its own async context, so what is
 * thrown where nobody catches it can be charged to the role that it came from, and to that one alone.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { takeUncaught } from '../core/uncaught.ts';

/** Who is told of what was thrown in its context. */
interface Charged {
  readonly crashed: (error: unknown) => void;
}

const context = new AsyncLocalStorage<Charged>();

/** Runs work so that all that it begins is charged to this one. */
export function inAttempt<T>(attempt: Charged, work: () => Promise<T>): Promise<T> {
  return context.run(attempt, async () => await work());
}

/** What is thrown in a role's context goes to the role, until it is disposed of. What is nobody's ends the process, as ever. */
export function chargeUncaught(): Disposable {
  return takeUncaught((error) => {
    const charged = context.getStore();
    charged?.crashed(error);
    return charged !== undefined;
  });
}
