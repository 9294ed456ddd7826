import { messageOf } from '../../core/errors.ts';
import { firstBytes } from '../../cli/first-bytes.ts';
import type { Log } from '../../core/log.ts';
import { unlessAborted } from '../../core/abort.ts';
import { objectPath, podRef } from '../../kube/path.ts';
import type { KubeClient, KubeObject } from '../../kube/types.ts';

/** The kubelet waits for our end, and a person for the reason. */
const ANNOUNCE_MS = 2000;
/** The API server takes no longer note. */
const NOTE_BYTES = 1024;
/** Of a name's 253, some are the server's to add. */
const NAME_CHARACTERS = 200;

interface Surroundings {
  readonly kube: () => Promise<KubeClient>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Leaves what could not be met as an Event on our own Pod, where `kubectl describe pod` shows it. Best effort: it is in the
 * log and the termination log anyway, and most ServiceAccounts may not create Events. Never rejects.
 * @param pod its name, and its uid where the kubelet said so: without one it is asked for
 */
export async function announce(
  message: string,
  { podName, podUid }: { readonly podName: string; readonly podUid: string | undefined },
  { kube, log, signal }: Surroundings,
): Promise<void> {
  try {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(ANNOUNCE_MS)]);
    const client = await unlessAborted(kube(), bounded);
    const { namespace } = client;
    const own = objectPath(podRef(namespace, podName));
    const uid = podUid ?? (await client.get<PodWithUid>(own, { signal: bounded })).metadata.uid;
    const path = `/apis/events.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/events`;
    await client.request('POST', path, eventOf(message, { namespace, podName, uid }), { signal: bounded });
  } catch (error) {
    log.debug(`no Event is left on Pod ${podName}: ${messageOf(error)}`);
  }
}

interface PodWithUid extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly uid?: string };
}

function eventOf(
  message: string,
  {
    namespace,
    podName,
    uid,
  }: { readonly namespace: string; readonly podName: string; readonly uid: string | undefined },
): object {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { generateName: `${podName.slice(0, NAME_CHARACTERS)}-`, namespace },
    // Microseconds, and no fewer digits.
    eventTime: new Date().toISOString().replace('Z', '000Z'),
    reportingController: 'kolla-init',
    reportingInstance: podName,
    action: 'Wait',
    reason: 'DependenciesNotMet',
    type: 'Warning',
    note: firstBytes(message, NOTE_BYTES),
    regarding: { apiVersion: 'v1', kind: 'Pod', namespace, name: podName, uid },
  };
}
