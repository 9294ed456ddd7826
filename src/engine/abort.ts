/** AbortController and AbortSignal, as far as waits use them: abort, any, timeout, `abort` listeners. */
import { setTimeout } from './loop.ts';

type Listener = (event: { readonly type: 'abort' }) => void;

export class AbortSignal {
  aborted = false;
  reason: unknown = undefined;
  readonly #listeners = new Set<Listener>();

  static abort(reason?: unknown): AbortSignal {
    const controller = new AbortController();
    controller.abort(reason);
    return controller.signal;
  }

  /** Aborts with the first of them, at once where one is aborted already. */
  static any(signals: Iterable<AbortSignal>): AbortSignal {
    const either = new AbortController();
    for (const signal of signals) {
      if (signal.aborted) either.abort(signal.reason);
      else signal.addEventListener('abort', () => either.abort(signal.reason));
    }
    return either.signal;
  }

  static timeout(milliseconds: number): AbortSignal {
    const controller = new AbortController();
    const error = Object.assign(new Error('The operation was aborted due to timeout'), { name: 'TimeoutError' });
    setTimeout(() => controller.abort(error), milliseconds).unref();
    return controller.signal;
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_: 'abort', listener: Listener, _options?: { readonly once?: boolean }): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_: 'abort', listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** The controller's alone. The first reason stays, and each listener is called once. */
  static end(signal: AbortSignal, reason: unknown): void {
    if (signal.aborted) return;
    signal.aborted = true;
    signal.reason = reason;
    const listeners = [...signal.#listeners];
    signal.#listeners.clear();
    for (const listener of listeners) listener({ type: 'abort' });
  }
}

export class AbortController {
  readonly signal = new AbortSignal();

  abort(reason?: unknown): void {
    AbortSignal.end(
      this.signal,
      reason ?? Object.assign(new Error('This operation was aborted'), { name: 'AbortError' }),
    );
  }
}
