import type { ShippingView } from '../../logship/index.ts';
import { Lags, readinessOf, shippingFamilies } from '../../logship/serve/index.ts';
import type { Family } from '../../net/prometheus.ts';
import type { Part, Role } from '../../probe/serve/index.ts';

/** What probes and Prometheus are told of the role log-ship. */
export class ShippingShown {
  readonly #view: () => ShippingView | undefined;
  readonly #roles: readonly Role[];
  /** Of each destination: whether it was ready when it was last asked for, and since when. */
  readonly #since = new Map<string, { isReady: boolean; atMs: number }>();
  #lags: Lags | undefined;

  /** @param roles the probes that it decides */
  constructor(view: () => ShippingView | undefined, roles: readonly Role[]) {
    this.#view = view;
    this.#roles = roles;
  }

  /** Looks how long lines wait until it is disposed of. */
  start(): Disposable {
    const lags = new Lags(() => this.#view()?.pipelines() ?? []);
    this.#lags = lags;
    return lags;
  }

  /** One a destination. */
  parts(): readonly Part[] {
    const pipelines = this.#view()?.pipelines();
    if (pipelines === undefined)
      return [
        { name: 'log-ship/files', roles: this.#roles, state: 'unknown', since: Math.round(performance.timeOrigin) },
      ];
    return pipelines.map((pipeline): Part => {
      const { isReady, reason } = readinessOf(pipeline, this.#lags?.quiet(pipeline.name) ?? 0, Date.now());
      const { name } = pipeline;
      const part = { name: `log-ship/${name}`, roles: this.#roles, reason, since: this.#sinceOf(name, isReady) };
      return { ...part, state: isReady ? 'healthy' : 'unhealthy' };
    });
  }

  families(): readonly Family[] {
    const view = this.#view();
    if (view === undefined || this.#lags === undefined) return [];
    this.#lags.look();
    return shippingFamilies(view, this.#lags);
  }

  #sinceOf(name: string, isReady: boolean): number {
    const before = this.#since.get(name);
    if (before?.isReady === isReady) return before.atMs;
    const atMs = Date.now();
    this.#since.set(name, { isReady, atMs });
    return atMs;
  }
}
