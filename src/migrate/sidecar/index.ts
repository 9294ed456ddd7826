/**
 * kolla-db-sync as a native sidecar.
 *
 *   probes are answered -> our own Pod's startup probe is long enough (65 if not) -> the migration -> stays until SIGTERM
 *
 * /livez is 200 as long as the process answers. /startupz and /readyz are 503 until the schema is right for this release:
 * a startup probe on /startupz holds the containers behind us back. Phases that come after a rollout hold nobody back: the
 * rollout that they wait for would never end. Their failure is said and recorded, and the sidecar stays; that of any other
 * phase ends the process with its code, and the kubelet starts it again.
 */
import { once } from 'node:events';
import type { Context } from '../../cli/command.ts';
import { ConfigError, ExitCode, KollaError, UsageError, messageOf } from '../../core/errors.ts';
import { formatListen, parseListen, type ListenAddress } from '../../net/address.ts';
import { serveHealth, type Health } from '../../net/http/router.ts';
import type { Phase } from '../../catalog/index.ts';
import { ownPlace } from '../../kube/own-place.ts';
import { requireSafePod } from './own-pod.ts';
import type { OnStage, Stage } from '../stage.ts';

export { requireSafePod } from './own-pod.ts';

export interface SidecarOptions {
  readonly listen: string;
  readonly podName: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly phase: Phase;
  /** Milliseconds. */
  readonly timeout: number;
  readonly lockTimeout: number;
  readonly grace: number;
}

type Surroundings = Pick<Context, 'signal' | 'log' | 'inherited'>;

/**
 * Runs the migration under the eyes of the kubelet, and stays.
 * @param migrate is told whom to tell where it stands
 * @returns only where the migration failed
 * @throws the signal's reason; what `migrate` throws; ConfigError for a Pod whose kubelet would interrupt it
 */
export async function runStaying(
  options: SidecarOptions,
  surroundings: Surroundings,
  migrate: (onStage: OnStage) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { signal, log } = surroundings;
  const at = listenAddress(options.listen);
  const holdsBack = holdsOthersBack(options.phase);
  let stage: Stage = 'waiting for the server';
  const schema = (): Health => ({ isOk: !holdsBack || stage === 'ok', word: stage });
  await using server = await serveHealth(at, {
    '/startupz': schema,
    '/readyz': schema,
    '/livez': () => ({ isOk: true, word: 'ok' }),
  });
  const own = { ...at, port: server.port };
  log.info(`/startupz, /readyz and /livez are answered on ${formatListen(own)}`);
  {
    using place = ownPlace(options, surroundings.inherited);
    await requireSafePod({ ...options, holdsBack, port: server.port }, place, surroundings);
  }
  const code = await untilMigrated(holdsBack, surroundings, () => migrate((next) => (stage = next)));
  if (code !== ExitCode.ok && holdsBack) return code;
  stage = code === ExitCode.ok ? 'ok' : 'failed';
  log.info(code === ExitCode.ok ? 'staying until SIGTERM' : 'staying until SIGTERM, although it failed: run it again');
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

/** Whether the service may only start when this phase is done. */
export function holdsOthersBack(phase: Phase): boolean {
  return phase !== 'contract' && phase !== 'online';
}

/** Its exit code, also where it was an error that must not end us. A mistake in the command line or in a file ends us always. */
async function untilMigrated(
  holdsBack: boolean,
  { signal, log }: Surroundings,
  migrate: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await migrate();
  } catch (error) {
    const isMistake = !(error instanceof KollaError) || error instanceof UsageError || error instanceof ConfigError;
    if (holdsBack || isMistake || signal.aborted) throw error;
    log.error(error.message);
    return error.exitCode;
  }
}

function listenAddress(text: string): ListenAddress {
  try {
    return parseListen(text);
  } catch (error) {
    throw new UsageError(`--listen: ${messageOf(error)}`, { cause: error });
  }
}
