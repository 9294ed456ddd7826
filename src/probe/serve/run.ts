import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../cli/command.ts';
import { formatListen, listenAddress } from '../../net/address.ts';
import { startChecks } from './checks.ts';
import { checksOf } from './config.ts';
import { prepareChecks } from './prepare.ts';
import { serveProbes, type ServedOptions } from './server.ts';

/** How long /readyz goes on saying that the end has come, for who asks just then. With all else, less than a second. */
const ENDING_MS = 500;

/**
 * `kolla-probe serve`: asks the checks of kolla-pod.yaml and answers probes until the signal is aborted.
 * @throws the signal's reason; ConfigError for a wrong section or none, an address that is taken
 */
export async function runServe(
  options: Omit<ServedOptions, 'listen'> & { readonly listen: string; readonly allowNoChecks: boolean },
  context: Pick<Context, 'signal' | 'log' | 'inherited' | 'podFile'>,
): Promise<never> {
  const { signal, log, podFile } = context;
  const listen = listenAddress('--listen', options.listen);
  const configs = checksOf(podFile, options.allowNoChecks, log);
  const prepared = await prepareChecks(configs, context);
  signal.throwIfAborted();
  // The checks outlive the signal: until the end /livez is answered as before.
  await using checks = startChecks(prepared, { signal: new AbortController().signal, log });
  await using server = await serveProbes({ ...options, listen }, { checks: () => checks.snapshot() });
  const at = formatListen({ ...listen, port: server.port });
  log.info(`/startupz, /livez, /readyz and /metrics are answered on ${at}; checks: ${prepared.length}`);
  if (!signal.aborted) await once(signal, 'abort');
  server.drain();
  await sleep(ENDING_MS);
  throw signal.reason;
}
