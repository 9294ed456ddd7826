import type { Context } from '../../cli/command.ts';
import { ended } from '../../core/abort.ts';
import { pause } from '../../core/backoff.ts';
import { formatListen, listenAddress } from '../../net/dial/address.ts';
import type { CheckSet } from '../ask/check.ts';
import { startChecks } from './checks.ts';
import { checksOf } from './config.ts';
import { prepareChecks } from './prepare.ts';
import { serveProbes, type ServedOptions } from './server.ts';

/** How long /readyz reports the shutdown, so that a concurrent request sees it. The whole shutdown takes below 1 s. */
const ENDING_MS = 500;

/**
 * `kolla-probe serve`: runs the checks of kolla-pod.yaml and serves probes until the signal is aborted.
 * @param set the checks of this binary
 * @throws the signal's reason; ConfigError for a missing or invalid section, or an address in use
 */
export async function runServe(
  options: Omit<ServedOptions, 'listen'> & { readonly listen: string; readonly allowNoChecks: boolean },
  context: Pick<Context, 'signal' | 'log' | 'inherited' | 'podFile'>,
  set: CheckSet,
): Promise<never> {
  const { signal, log, podFile } = context;
  const listen = listenAddress(options.listen);
  const configs = checksOf(podFile, options.allowNoChecks, log);
  const prepared = await prepareChecks(configs, context, set);
  signal.throwIfAborted();
  // The checks continue after the signal, because /livez is served until the end.
  const never = new AbortController().signal;
  await using checks = startChecks(prepared, { signal: never, log });
  await using server = await serveProbes({ ...options, listen }, { checks: () => checks.snapshot() }, signal);
  const at = formatListen({ ...listen, port: server.port });
  log.info(`/startupz, /livez, /readyz and /metrics are answered on ${at}; checks: ${prepared.length}`);
  await ended(signal);
  server.drain();
  await pause(ENDING_MS, never);
  throw signal.reason;
}
