import { once } from 'node:events';
import type { Context } from '../cli/command.ts';
import { listenAddress } from '../net/dial/address.ts';
import type { SidecarOptions } from './options/options.ts';
import { prepareComponents } from './prepare.ts';
import { serveComponents } from './serve.ts';
import { supervise } from './supervisor.ts';

/**
 * `kolla-sidecar`: runs the enabled components until the signal is aborted, and stops them in STOP_ORDER. A failed
 * component is restarted with backoff; a component that is done is not started again.
 * @throws the signal's reason; UsageError or ConfigError before any component runs
 */
export async function runSidecar(
  options: SidecarOptions,
  context: Pick<Context, 'signal' | 'log' | 'inherited' | 'podFile' | 'stdout'>,
): Promise<never> {
  const { signal, log } = context;
  const listen = listenAddress(options.listen);
  const prepared = await prepareComponents({ options, context });
  using supervisor = supervise(
    prepared.map(({ component }) => component),
    log,
  );
  await using server = await serveComponents(prepared, () => supervisor.status(), { ...options, listen }, context);
  supervisor.start();
  if (!signal.aborted) await once(signal, 'abort');
  server.drain();
  await supervisor.stop(signal.reason as Error);
  throw signal.reason;
}
