import type { Api } from './api.ts';
import type { Timing } from './timing.ts';

/**
 * Tells a 403 that is meant from one of an API server that has just started: until it has read its Roles it refuses
 * everything, and is not ready. Where we may not ask whether it is, a refusal that lasts is taken for meant.
 */
export class Refusal {
  readonly #api: Api;
  readonly #timing: Timing;
  #since: number | undefined;

  constructor(api: Api, timing: Timing) {
    this.#api = api;
    this.#timing = timing;
  }

  /** To be asked at each 403. */
  async isMeant(signal: AbortSignal): Promise<boolean> {
    this.#since ??= performance.now();
    return performance.now() - this.#since >= this.#timing.refusedMs || (await this.#api.isReady(signal));
  }

  /** We were let in. */
  forget(): void {
    this.#since = undefined;
  }
}
