import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../cli/command.ts';
import { UsageError, messageOf } from '../../core/errors.ts';
import type { Values } from '../../cli/option.ts';
import { formatListen, parseListen, type ListenAddress } from '../../net/address.ts';
import { ownPlace } from '../../kube/own-place.ts';
import { announce } from './announce.ts';
import { startChecks } from './checks.ts';
import { checksOf } from './config.ts';
import { leaveEvents } from './events.ts';
import type { SERVE_OPTIONS } from './options.ts';
import { prepareChecks } from './prepare.ts';
import { serveProbes } from './server.ts';

/** How long /readyz goes on saying that the end has come, for who asks just then. With all else, less than a second. */
const ENDING_MS = 500;

type Surroundings = Pick<Context, 'signal' | 'log' | 'inherited' | 'podFile'>;

/**
 * `kolla-probe serve`: asks the checks of kolla-pod.yaml and answers probes until the signal is aborted.
 * @throws the signal's reason; ConfigError for a wrong section or none, an address that is taken, a door file that can't be
 * written
 */
export async function runServe(options: Values<typeof SERVE_OPTIONS>, surroundings: Surroundings): Promise<never> {
  const { signal, log, inherited, podFile } = surroundings;
  const listen = listenAddress('--listen', options.listen);
  const grpcListen = options.grpcListen === undefined ? undefined : listenAddress('--grpc-listen', options.grpcListen);
  const configs = checksOf(podFile, options.allowNoChecks, log);
  const prepared = await prepareChecks(configs, surroundings);
  signal.throwIfAborted();
  // The checks outlive the signal: until the end /livez is answered as before.
  await using checks = startChecks(prepared, { signal: new AbortController().signal, log });
  await using events = eventsFor(options, inherited, log);
  using _ = checks.onChange((change) => {
    announce(change, log);
    events.tell(change);
  });
  await using server = await serveProbes({ ...options, listen, grpcListen }, { checks }, log);
  const grpc =
    server.grpcPort === undefined ? '' : `, gRPC on ${formatListen({ ...grpcListen, port: server.grpcPort })}`;
  const at = formatListen({ ...listen, port: server.port });
  log.info(`/startupz, /livez, /readyz and /metrics are answered on ${at}${grpc}; checks: ${prepared.length}`);
  if (!signal.aborted) await once(signal, 'abort');
  server.drain();
  await sleep(ENDING_MS);
  throw signal.reason;
}

/** Events, where there is an API server and we know who we are; else none. */
export function eventsFor(
  options: Values<typeof SERVE_OPTIONS>,
  inherited: NodeJS.ProcessEnv,
  log: Context['log'],
): Pick<ReturnType<typeof leaveEvents>, 'tell'> & AsyncDisposable {
  const none = { tell() {}, [Symbol.asyncDispose]: () => Promise.resolve() };
  if (!options.events) return none;
  const place = ownPlace(options, inherited);
  const { kube, podName } = place;
  const podUid = options.podUid ?? place.container?.podUid;
  if (kube === undefined || podUid === undefined) {
    const why = kube === undefined ? 'no ServiceAccount is mounted' : 'POD_UID is not set';
    log.debug(`no Events on this Pod: ${why}`);
    return none;
  }
  const events = leaveEvents({ kube, podName, podUid }, log);
  return {
    tell: (change) => events.tell(change),
    async [Symbol.asyncDispose]() {
      await events[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}

/** @throws UsageError */
export function listenAddress(flag: string, text: string): ListenAddress {
  try {
    return parseListen(text);
  } catch (error) {
    throw new UsageError(`${flag}: ${messageOf(error)}`, { cause: error });
  }
}
