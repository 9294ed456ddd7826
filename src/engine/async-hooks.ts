/** The part of `node:async_hooks` that kolla-core uses: one storage. */
import { currentOwner, runFor } from './runtime/loop.ts';

export class AsyncLocalStorage<T extends object> {
  /**
   * Unlike Node's, begins in a turn of its own, so that the turn's jobs are the store's: also the jobs of others that wait for
   * what it has settled.
   */
  run<R>(store: T, work: () => Promise<R>): Promise<R> {
    return new Promise((resolve) => runFor(store, () => resolve(work())));
  }

  /** The store for which the current turn runs. */
  getStore(): T | undefined {
    return currentOwner() as T | undefined;
  }
}
