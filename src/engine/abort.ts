/** AbortController and AbortSignal, as far as waits use them: abort, any, timeout, `abort` listeners. */
import { setTimeout } from './loop.ts';

type Listener = (event: { readonly type: 'abort' }) => void;

export class AbortSignal {
  #aborted = false;
  #reason: unknown = undefined;
  readonly #listeners = new Set<Listener>();
  /**
   * Those that abort it: looked at when it is asked, and listened to for as long as anybody listens to it. A signal that lives as
   * long as the process is part of thousands of others.
   */
  #sources: readonly AbortSignal[] = [];
  readonly #follow = (): void => void this.aborted;

  static abort(reason?: unknown): AbortSignal {
    const controller = new AbortController();
    controller.abort(reason);
    return controller.signal;
  }

  /** Aborts with the first of them, at once where one is aborted already. */
  static any(signals: Iterable<AbortSignal>): AbortSignal {
    const either = new AbortSignal();
    either.#sources = [...signals];
    return either;
  }

  get aborted(): boolean {
    const source = this.#aborted ? undefined : this.#sources.find(({ aborted }) => aborted);
    if (source !== undefined) AbortSignal.end(this, source.reason);
    return this.#aborted;
  }

  get reason(): unknown {
    return this.aborted ? this.#reason : undefined;
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
    if (this.aborted) return;
    if (this.#listeners.size === 0) for (const source of this.#sources) source.addEventListener('abort', this.#follow);
    this.#listeners.add(listener);
  }

  removeEventListener(_: 'abort', listener: Listener): void {
    if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#unfollow();
  }

  #unfollow(): void {
    for (const source of this.#sources) source.removeEventListener('abort', this.#follow);
  }

  /** The controller's alone. The first reason stays, and each listener is called once. */
  static end(signal: AbortSignal, reason: unknown): void {
    if (signal.#aborted) return;
    signal.#aborted = true;
    signal.#reason = reason;
    const listeners = [...signal.#listeners];
    signal.#listeners.clear();
    signal.#unfollow();
    signal.#sources = [];
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
