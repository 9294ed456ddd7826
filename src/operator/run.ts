import type { ExitCode } from '../core/errors.ts';
import type { Context } from '../cli/command.ts';
import type { Values } from '../cli/option.ts';
import { lazyKube, kubeSource } from '../kube/source.ts';
import { formatListen, listenAddress } from '../net/dial/address.ts';
import { serveProbes, type ProbeServer } from '../probe/serve/server.ts';
import { Beat } from './runtime/beat.ts';
import { control } from './control.ts';
import { electionLease, lead, processName } from './elect.ts';
import { helmHome } from './home.ts';
import { CONTROLLERS, type OPERATOR_OPTIONS } from './options.ts';

/** Waits for the Lease, then runs the controllers until the signal. @throws UnavailableError if the Lease is lost */
export async function runOperator(
  options: Values<typeof OPERATOR_OPTIONS>,
  { signal, log, inherited }: Context,
): Promise<ExitCode> {
  using kube = lazyKube(() => kubeSource(options.kubeconfig, inherited), options.namespace);
  // With connections of its own: the Lease must be renewed while all other requests hang, as behind a webhook that is down.
  using election = lazyKube(() => kubeSource(options.kubeconfig, inherited), options.namespace);
  const client = await kube.get();
  await using home = await helmHome(options.directory);
  const beat = new Beat(options.stallTimeout);
  await using server = options.listen === undefined ? undefined : await serveHealth(options.listen, beat, signal, log);
  signal.addEventListener('abort', () => server?.drain(), { once: true });
  const process = processName();
  const controllers = options.controllers.length === 0 ? CONTROLLERS : [...new Set(options.controllers)];
  const lease = electionLease(client.namespace, controllers);
  log.info(`waiting for Lease ${lease.namespace}/${lease.name}`, { controllers });
  await using held = await lead(await election.get(), lease, process, signal, log);
  log.info(`leading, Lease ${lease.namespace}/${lease.name}`);
  const stop = AbortSignal.any([signal, held.lost]);
  // Ends when the Lease is lost or at SIGTERM, after the last Helm has ended; only then is the Lease released.
  await control(client, { ...options, controllers, directory: home.path, process, inherited, beat }, stop, log);
  stop.throwIfAborted();
  return 0;
}

async function serveHealth(at: string, beat: Beat, signal: AbortSignal, log: Context['log']): Promise<ProbeServer> {
  const listen = listenAddress(at);
  const inside = { statusPublic: false, hostNetwork: false };
  const server = await serveProbes({ listen, ...inside }, { checks: () => [], others: () => [beat.part()] }, signal);
  log.info(`/livez, /readyz and /metrics are answered on ${formatListen({ ...listen, port: server.port })}`);
  return server;
}
