/** AbortController and AbortSignal, as far as waits use them: abort, any, timeout, `abort` listeners. */
import { setTimeout } from './loop.ts';

type Listener = (event: { readonly type: 'abort' }) => void;

export class AbortSignal {
  #isAborted = false;
  #reason: unknown = undefined;
  readonly #listeners = new Set<Listener>();
  /** The source signals of `any`. */
  #sources: readonly AbortSignal[] = [];
  /**
   * The listener on the sources. It is attached only while this signal has listeners, so that a long-lived source does
   * not retain unused signals.
   */
  #follow: Listener | undefined;

  get aborted(): boolean {
    return this.#isAborted || this.#sources.some(({ aborted }) => aborted);
  }

  get reason(): unknown {
    return this.#isAborted ? this.#reason : this.#sources.find(({ aborted }) => aborted)?.reason;
  }

  static abort(reason?: unknown): AbortSignal {
    const controller = new AbortController();
    controller.abort(reason);
    return controller.signal;
  }

  /** A signal that aborts with the first of the sources, immediately if one is already aborted. */
  static any(signals: Iterable<AbortSignal>): AbortSignal {
    const either = new AbortSignal();
    const sources = [...signals];
    const first = sources.find(({ aborted }) => aborted);
    if (first === undefined) either.#sources = sources;
    else AbortSignal.end(either, first.reason);
    return either;
  }

  static timeout(milliseconds: number): AbortSignal {
    const controller = new AbortController();
    setTimeout(() => {
      const error = new Error('The operation was aborted due to timeout');
      controller.abort(Object.assign(error, { name: 'TimeoutError' }));
    }, milliseconds).unref();
    return controller.signal;
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_: 'abort', listener: Listener, _options?: { readonly once?: boolean }): void {
    if (this.aborted) return;
    this.#listeners.add(listener);
    if (this.#follow !== undefined || this.#sources.length === 0) return;
    this.#follow = () => AbortSignal.end(this, this.reason);
    for (const source of this.#sources) source.addEventListener('abort', this.#follow);
  }

  removeEventListener(_: 'abort', listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#unfollow();
  }

  /** Called by the controller only. The first reason is kept, and each listener is called once. */
  static end(signal: AbortSignal, reason: unknown): void {
    if (signal.#isAborted) return;
    signal.#isAborted = true;
    signal.#reason = reason;
    const listeners = [...signal.#listeners];
    signal.#listeners.clear();
    signal.#unfollow();
    signal.#sources = [];
    for (const listener of listeners) listener({ type: 'abort' });
  }

  #unfollow(): void {
    const follow = this.#follow;
    if (follow === undefined) return;
    this.#follow = undefined;
    for (const source of this.#sources) source.removeEventListener('abort', follow);
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
