import type { Log } from '../../core/log.ts';
import { formatListen, type ListenAddress } from '../../net/address.ts';
import { healthAnswer, serveRoutes, type Request, type Routes } from '../../net/http/router.ts';
import type { Answer } from '../../net/http/exchange.ts';
import { METRICS_TYPE, metricsText } from '../../net/prometheus.ts';
import type { Shown } from '../view.ts';
import { Lags, readinessOf } from './lag.ts';
import { ownFamilies, shippingFamilies } from './metrics.ts';

/** Answers until it is disposed of. */
interface ShippingServer extends AsyncDisposable {
  readonly port: number;
  /** Files are followed now. Before that it is alive, and not ready. */
  show(shown: Shown): void;
}

/**
 * Serves /livez, /readyz and /metrics.
 * @param isEnding asked at each request: whether a stop has come
 * @throws as listenBounded() does
 */
export async function serveShipping(
  at: ListenAddress,
  {
    log,
    isEnding,
    hostNetwork,
  }: { readonly log: Log; readonly isEnding: () => boolean; readonly hostNetwork: boolean },
): Promise<ShippingServer> {
  let view: Shown | undefined;
  await using parts = new AsyncDisposableStack();
  const lags = parts.use(new Lags(() => view?.pipelines() ?? []));
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
  const server = parts.use(await serveRoutes(at, routes, { statusPublic: false, hostNetwork }));
  log.info(`/livez, /readyz and /metrics are answered on ${formatListen({ ...at, port: server.port })}`);
  const open = parts.move();
  return {
    port: server.port,
    show: (next) => void (view = next),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function readiness(view: Shown | undefined, lags: Lags, isEnding: boolean, { isVerbose, refusal }: Request): Answer {
  const all = (view?.pipelines() ?? []).map((state) => ({
    name: state.name,
    ...readinessOf(state, lags.quiet(state.name), Date.now()),
  }));
  const isReady = view !== undefined && all.every((each) => each.isReady);
  const word = isEnding ? 'ending' : view === undefined ? 'waiting' : isReady ? 'ok' : 'unhealthy';
  const { status, body } = healthAnswer({ isOk: word === 'ok', word });
  if (!isVerbose) return { status, body };
  if (refusal !== undefined) return refusal;
  const lines = all.map((each) => `[${each.isReady ? '+' : '-'}] ${each.name} ${each.reason}`);
  return { status, body: [...lines, `readiness: ${word}`, ''].join('\n') };
}
