/** @typeParam Events the listeners' arguments, by event name */
export class Emitter<Events extends Record<string, readonly unknown[]>> {
  readonly #listeners: { [E in keyof Events]?: ((...given: Events[E]) => void)[] } = {};

  on<E extends keyof Events>(event: E, listener: (...given: Events[E]) => void): this {
    (this.#listeners[event] ??= []).push(listener);
    return this;
  }

  once<E extends keyof Events>(event: E, listener: (...given: Events[E]) => void): this {
    const once = (...given: Events[E]) => {
      this.off(event, once);
      listener(...given);
    };
    return this.on(event, once);
  }

  off<E extends keyof Events>(event: E, listener: (...given: Events[E]) => void): this {
    this.#listeners[event] = this.#listeners[event]?.filter((one) => one !== listener) ?? [];
    return this;
  }

  /** Called after the last event, because listeners may retain this object, which would then never be freed. */
  protected forget(): void {
    for (const event of Object.keys(this.#listeners)) delete this.#listeners[event];
  }

  /** @returns whether any listener was called */
  protected emit<E extends keyof Events>(event: E, ...values: Events[E]): boolean {
    const listeners = this.#listeners[event] ?? [];
    for (const listener of listeners) listener(...values);
    return listeners.length > 0;
  }
}
