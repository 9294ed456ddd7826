import { ended } from '../core/abort.ts';
import { listenAddress } from '../net/dial/address.ts';
import type { Making } from './components/component.ts';
import type { SidecarOptions } from './options/options.ts';
import { prepareComponents, type Makers } from './prepare.ts';
import { serveComponents } from './serve.ts';
import { supervise } from './supervisor.ts';

/**
 * `kolla-sidecar`: runs the enabled components until the signal is aborted, and stops them in STOP_ORDER. A failed
 * component is restarted with backoff; a component that is done is not started again.
 * @param makers the components of this binary
 * @throws the signal's reason; UsageError or ConfigError before any component runs
 */
export async function runSidecar(options: SidecarOptions, context: Making['context'], makers: Makers): Promise<never> {
  const { signal, log } = context;
  const listen = listenAddress(options.listen);
  const prepared = await prepareComponents({ options, context }, makers);
  using supervisor = supervise(
    prepared.map(({ component }) => component),
    log,
  );
  await using server = await serveComponents(prepared, () => supervisor.status(), { ...options, listen }, context);
  supervisor.start();
  await ended(signal);
  server.drain();
  await supervisor.stop(signal.reason as Error);
  throw signal.reason;
}
