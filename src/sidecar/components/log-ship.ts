import type { Context } from '../../cli/command.ts';
import { optionsOf } from '../../cli/section.ts';
import { UsageError } from '../../core/errors.ts';
import {
  LOG_SHIP,
  ownRules,
  runShipping,
  settingsOf,
  SHIP_OPTIONS,
  type Settings,
  type ShippingView,
} from '../../logship/index.ts';
import { Lags, readinessOf, shippingFamilies } from '../../logship/serve/index.ts';
import type { Family } from '../../net/prometheus.ts';
import type { Part, Role } from '../../probe/serve/index.ts';
import { QUICK_BACKOFF, type Making, type PreparedComponent } from './component.ts';
import { Samples } from '../status/samples.ts';

/** Time after --grace to abandon requests in flight and to write the checkpoint. */
const STOPPING_MS = 5000;

/** kolla-log-ship in kolla-sidecar. */
export async function prepareLogShip({
  options: { logPath, readyWithLogs },
  context,
}: Making): Promise<PreparedComponent> {
  const options = await optionsOf(LOG_SHIP, '', SHIP_OPTIONS, context.inherited, context.podFile);
  const settings = settingsOf(logPath, options, await ownRules(options));
  if (settings.listen !== undefined)
    throw new UsageError('log-ship: --listen is for kolla-log-ship alone; here the port of kolla-sidecar answers');
  return shippingComponent(settings, readyWithLogs ? ['readiness'] : [], context);
}

/**
 * The component that ships log files. On a stop it reads to the end and ships within its own --grace.
 * @param probes the probes that depend on the component
 */
export function shippingComponent(
  settings: Settings,
  probes: readonly Role[],
  { inherited }: Pick<Context, 'inherited'>,
): PreparedComponent {
  let view: ShippingView | undefined;
  /** The view while the component is shipping; otherwise undefined. */
  let live: ShippingView | undefined;
  const samples = new Samples(() => ({ lag: view?.left() ?? 0, lines: view?.counts().lines ?? 0 }));
  const shown = new ShippingShown(() => live, probes);
  return {
    component: {
      name: 'log-ship',
      holdsStartup: false,
      stopMs: settings.graceMs + STOPPING_MS,
      backoff: QUICK_BACKOFF,
      async run(run) {
        using looking = new DisposableStack();
        looking.use(samples.start());
        looking.use(shown.start());
        try {
          return await runShipping(settings, { ...run, inherited }, (next) => (view = live = next));
        } finally {
          live = undefined;
        }
      },
    },
    parts: () => shown.parts(),
    families: () => shown.families(),
    sources: {
      shipping() {
        if (view === undefined) return null;
        const { acknowledged, already, rejected, retried, lostBytes } = view.counts();
        const outage = view.outage();
        return {
          to: view.to,
          files: view.files(),
          ...samples.now(),
          acknowledged,
          already,
          rejected,
          retried,
          lostBytes,
          held: outage?.reason ?? null,
          heldSince: outage?.sinceMs ?? null,
        };
      },
    },
  };
}

/** The state of the `log-ship` component for probes and Prometheus. */
export class ShippingShown {
  readonly #view: () => ShippingView | undefined;
  readonly #roles: readonly Role[];
  /** For each destination its last known readiness, and since when. */
  readonly #since = new Map<string, { isReady: boolean; atMs: number }>();
  #lags: Lags | undefined;

  /** @param roles the probes that depend on the component */
  constructor(view: () => ShippingView | undefined, roles: readonly Role[]) {
    this.#view = view;
    this.#roles = roles;
  }

  /** Samples how long lines wait, until disposed. */
  start(): Disposable {
    const lags = new Lags(() => this.#view()?.pipelines() ?? []);
    this.#lags = lags;
    return lags;
  }

  /** One part per destination. */
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
