import type { Context } from '../../cli/command.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { unlessAborted } from '../../core/abort.ts';
import type { OwnPlace } from '../../kube/own-place.ts';
import { objectPath, podRef } from '../../kube/path.ts';
import { neededSeconds, whyUnsafe, type SidecarNeeds, type SidecarPod } from './own-probe.ts';

/** Timeout, because the migration must not wait for an API server that is unavailable. */
const ASK_MS = 10_000;

/**
 * Ensures that the kubelet does not end this sidecar during a migration: a failing startup probe would restart
 * it. If our own Pod is not readable, logs the requirement once.
 * @throws ConfigError with the values to set; the signal's reason
 */
export async function requireSafePod(
  needs: SidecarNeeds,
  place: OwnPlace,
  { signal, log }: Pick<Context, 'signal' | 'log'>,
): Promise<void> {
  if (!place.isPod) return;
  let why: string | undefined;
  try {
    const { container } = place;
    const pod = await readPod(place, signal);
    if (container === undefined) throw new Error('it is unknown which of its containers this is');
    if (pod.metadata.uid !== container.podUid) throw new Error(`Pod ${place.podName} is another one; set POD_NAME`);
    why = whyUnsafe(pod, container.name, needs);
  } catch (error) {
    signal.throwIfAborted();
    log.warn(`cannot check this sidecar's startup probe: ${messageOf(error)}. ${formula(needs)}`);
  }
  if (why !== undefined) throw new ConfigError(why);
}

async function readPod({ kube, podName }: OwnPlace, signal: AbortSignal): Promise<SidecarPod> {
  if (kube === undefined) throw new Error('no ServiceAccount is mounted (it would need get on pods)');
  const late = AbortSignal.timeout(ASK_MS);
  const until = AbortSignal.any([signal, late]);
  try {
    const client = await unlessAborted(kube(), until);
    return await client.get<SidecarPod>(objectPath(podRef(client.namespace, podName)), { signal: until });
  } catch (error) {
    throw late.aborted ? new Error(`no response from the API server in ${ASK_MS / 1000} s`, { cause: error }) : error;
  }
}

function formula(needs: SidecarNeeds): string {
  const { startup, startupIs, stop, stopIs } = neededSeconds(needs);
  const probe = needs.holdsBack
    ? `its startupProbe's failureThreshold * periodSeconds at least ${startup} s (${startupIs}) and the longest migration, `
    : '';
  return `It needs ${probe}terminationGracePeriodSeconds at least ${stop} (${stopIs})`;
}
