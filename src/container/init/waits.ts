/**
 * kolla-init's waits.
 *
 *   values -> unique dependencies -> our identity and place (options, the kubelet's mounts) -> all awaited
 *         -> pending ones are reported as an Event on our own Pod, if permitted, and thrown
 */
import { hostname } from 'node:os';
import type { Context } from '../../cli/command.ts';
import { trustOfSecured, type TlsValues, type Trust } from '../../cli/tls-option.ts';
import { KollaError, SignalError, UsageError, messageOf } from '../../core/errors.ts';
import type { Dependency } from '../../wait/dependency/dependency.ts';
import type { WaitOptions } from '../../wait/dependency/waiter.ts';
import { isOfKinds, parseWith } from '../../wait/grammar/parse.ts';
import { SERVER_KINDS } from '../../wait/kinds/servers.ts';
import { waitForAll, type WaitAllContext } from '../../wait/wait-for-all.ts';
import { kubeSource, lazyKube } from '../../kube/source.ts';
import { ownContainer } from '../../kube/own-place.ts';
import { firstBytes } from '../../cli/first-bytes.ts';
import { unlessAborted } from '../../core/abort.ts';
import { objectPath, podRef } from '../../kube/path.ts';
import type { KubeClient, KubeObject } from '../../kube/types.ts';

export interface WaitSettings extends Omit<WaitOptions, 'self'> {
  readonly timeoutMs: number;
  /** Path of the kubeconfig. If undefined, the Pod's ServiceAccount is used, or the user's own kubeconfig. */
  readonly kubeconfig: string | undefined;
  /** The Pod's namespace, which is the default for waits. If undefined, it is taken from the credentials. */
  readonly namespace?: string;
  /** The Pod's name from the downward API; undefined if it is not set. */
  readonly podName: string | undefined;
  readonly nodeName: string | undefined;
  /** Timeout for creating the Event; 2 s by default. */
  readonly announceMs?: number;
}

/** Longest delay of a Node timer. */
const TIMEOUT_MAX_MS = 24 * 86_400_000;

/** Throws UsageError for a timeout that would expire immediately. */
export function checkTimeout(timeoutMs: number): void {
  if (timeoutMs <= 0 || timeoutMs > TIMEOUT_MAX_MS)
    throw new UsageError('--timeout: must be more than 0 and at most 24d');
}

/** Parses these texts into dependencies without duplicates. Throws UsageError with the position in the text. */
export async function dependenciesOf(texts: readonly string[]): Promise<Dependency[]> {
  const parse = await parserFor(texts);
  return [...new Map(texts.map((text) => [text, parse(text)])).values()];
}

/** Waits for servers and files do without the code for API objects, which takes memory as long as they last. */
async function parserFor(texts: readonly string[]): Promise<(text: string) => Dependency> {
  if (texts.every((text) => isOfKinds(SERVER_KINDS, text)))
    return (text) => parseWith({ kinds: SERVER_KINDS, any: undefined }, text);
  return (await import('../../wait/grammar/any-kind.ts')).parseDependency;
}

/**
 * What to verify about https:// and amqps:// dependencies. Others stay unencrypted.
 * @throws UsageError for --tls or --ca-file that contradict them
 */
export function waitTrust(values: TlsValues, dependencies: readonly Dependency[]): Trust {
  const servers = dependencies.filter(({ form }) => form === 'url' || form === 'server');
  return trustOfSecured(
    values,
    servers.map(({ kind, text }) => ({ url: { protocol: `${kind}:` }, called: `wait '${text}'` })),
  );
}

/**
 * Resolves when all are ready; rejects as waitForAll(). Leaves no connection or timer behind.
 * @param tell reports states in another format
 */
export async function waitFor(
  dependencies: readonly Dependency[],
  settings: WaitSettings,
  { signal, log, live, inherited }: Pick<Context, 'signal' | 'log' | 'live' | 'inherited'>,
  tell?: WaitAllContext['tell'],
): Promise<void> {
  const { podName = hostname(), nodeName, kubeconfig, namespace, announceMs = ANNOUNCE_MS, ...options } = settings;
  const own = ownContainer();
  using api = lazyKube(() => kubeSource(kubeconfig, inherited), namespace);
  try {
    const isInCluster =
      own !== undefined || kubeconfig !== undefined || inherited['KUBERNETES_SERVICE_HOST'] !== undefined;
    const self = { podName, nodeName, container: own?.name, isInCluster };
    await waitForAll(dependencies, { ...options, self }, { signal, log, live, tell, kube: api.get });
  } catch (error) {
    // The Pod's name is certain only if it was given as an option or the kubelet provides it.
    const isKnown = settings.podName !== undefined || own !== undefined;
    if (error instanceof KollaError && !(error instanceof SignalError) && isKnown)
      await announce(
        error.message,
        { podName, podUid: own?.podUid },
        { kube: api.get, log, signal: AbortSignal.any([signal, AbortSignal.timeout(announceMs)]) },
      );
    throw error;
  }
}

/** For the Event. At this point the kubelet is waiting for our exit, and the user for the reason. */
const ANNOUNCE_MS = 2000;
/** The API server's maximum length of an Event's note. */
const NOTE_BYTES = 1024;
/**
 * Maximum length of the Pod's name in the Event's name, which has at most 253 characters with the API server's suffix.
 */
const NAME_CHARACTERS = 200;

/**
 * Reports pending dependencies as an Event on our own Pod, shown by `kubectl describe pod`. Best effort: the log and
 * the termination log have them anyway, and most ServiceAccounts may not create Events. Never rejects.
 * @param pod the Pod's name, and its uid if the kubelet provides it; otherwise the uid is read
 */
async function announce(
  message: string,
  { podName, podUid }: { readonly podName: string; readonly podUid: string | undefined },
  { kube, log, signal }: Pick<Context, 'log' | 'signal'> & { readonly kube: () => Promise<KubeClient> },
): Promise<void> {
  try {
    const client = await unlessAborted(kube(), signal);
    const { namespace } = client;
    const own = objectPath(podRef(namespace, podName));
    const uid = podUid ?? (await client.get<PodWithUid>(own, { signal })).metadata.uid;
    const path = `/apis/events.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/events`;
    await client.request('POST', path, eventOf(message, { namespace, podName, uid }), { signal });
  } catch (error) {
    log.debug(`cannot create an Event on Pod ${podName}: ${messageOf(error)}`);
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
    // A time with exactly six fractional digits.
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
