import type { ListenAddress } from '../../net/address.ts';
import { formatListen } from '../../net/address.ts';
import type { Log } from '../../core/log.ts';
import type { BoundedServer } from '../../net/http/bounded-server.ts';
import { FORBIDDEN, healthAnswer, serveRoutes, type Answer, type Request, type Routes } from '../../net/http/router.ts';
import { METRICS_TYPE, metricsText } from '../../net/prometheus.ts';
import { Lags } from './lag.ts';
import { ownFamilies, shippingFamilies } from './metrics.ts';
import { readinessOf } from './readiness.ts';
import type { Shown } from './view.ts';

/** Answers until it is disposed of. */
export interface ShippingServer extends AsyncDisposable {
  readonly port: number;
  /** Files are followed now. Before that it is alive, and not ready. */
  show(shown: Shown): void;
}

/**
 * Serves /livez, /readyz and /metrics.
 * @param isEnding asked at each request: whether a stop has come
 * @throws as listenBounded() does
 */
export async function serveShipping(at: ListenAddress, log: Log, isEnding: () => boolean): Promise<ShippingServer> {
  let view: Shown | undefined;
  const lags = new Lags(() => view?.pipelines() ?? []);
  const routes: Routes = {
    '/livez': { kind: 'public', answer: () => healthAnswer({ isOk: true, word: 'ok' }) },
    '/readyz': { kind: 'public', answer: (asked) => readiness(view, lags, isEnding(), asked) },
    '/metrics': {
      kind: 'public',
      answer() {
        lags.look();
        const shown = view === undefined ? [] : shippingFamilies(view, lags);
        return { status: 200, body: metricsText([...shown, ...ownFamilies()]), type: METRICS_TYPE };
      },
    },
  };
  let server: BoundedServer;
  try {
    server = await serveRoutes(at, routes, false);
  } catch (error) {
    lags[Symbol.dispose]();
    throw error;
  }
  log.info(`/livez, /readyz and /metrics are answered on ${formatListen({ ...at, port: server.port })}`);
  return {
    port: server.port,
    show: (next) => void (view = next),
    async [Symbol.asyncDispose]() {
      lags[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

function readiness(view: Shown | undefined, lags: Lags, isEnding: boolean, { query, mayLookInside }: Request): Answer {
  const all = (view?.pipelines() ?? []).map((state) => ({
    name: state.name,
    ...readinessOf(state, lags.quiet(state.name), Date.now()),
  }));
  const isReady = view !== undefined && all.every((each) => each.isReady);
  const word = isEnding ? 'ending' : view === undefined ? 'waiting' : isReady ? 'ok' : 'unhealthy';
  const { status, body } = healthAnswer({ isOk: word === 'ok', word });
  if (!query.has('verbose')) return { status, body };
  if (!mayLookInside) return FORBIDDEN;
  const lines = all.map((each) => `[${each.isReady ? '+' : '-'}] ${each.name} ${each.reason}`);
  return { status, body: [...lines, `readiness: ${word}`, ''].join('\n') };
}
