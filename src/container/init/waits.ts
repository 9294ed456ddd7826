/**
 * kolla-init's waits.
 *
 *   texts -> dependencies, each once -> who and where we are (options, the kubelet's mounts) -> all waited for
 *         -> what could not be met is left as an Event on our own Pod, where that is allowed, and thrown
 */
import { hostname } from 'node:os';
import type { Context } from '../../cli/command.ts';
import { KollaError, SignalError, UsageError } from '../../core/errors.ts';
import { parseDependency, waitForAll, type Dependency, type WaitOptions, type WaitContext } from '../../wait/index.ts';
import { lazyKube } from '../../kube/lazy.ts';
import { ownContainer } from '../../kube/own-container.ts';
import { kubeSource } from '../../kube/source.ts';
import { announce } from './announce.ts';

export interface WaitSettings extends Omit<WaitOptions, 'self'> {
  readonly timeoutMs: number;
  /** Undefined: the Pod's ServiceAccount, or the user's own. */
  readonly kubeconfig: string | undefined;
  /** Where our own Pod is, and what is waited for unless it says otherwise. Undefined: as the credentials say. */
  readonly namespace?: string;
  /** As the downward API says; undefined where it does not. */
  readonly podName: string | undefined;
  readonly nodeName: string | undefined;
}

/** The longest that a timer of Node's can be. */
const TIMEOUT_MAX_MS = 24 * 86_400_000;

/** Throws UsageError for one that would end at once. */
export function checkTimeout(timeoutMs: number): void {
  if (timeoutMs <= 0 || timeoutMs > TIMEOUT_MAX_MS)
    throw new UsageError('--timeout: must be more than 0 and at most 24d');
}

/** The dependencies of these texts, each once. Throws UsageError with the place in the text. */
export function dependenciesOf(texts: readonly string[]): Dependency[] {
  return [...new Map(texts.map((text) => [text, parseDependency(text)])).values()];
}

/**
 * Resolves when all are met; rejects as waitForAll() does. Nothing of it is left then: no connection, no timer.
 * @param tell tells of them in other words than ours
 */
export async function waitFor(
  dependencies: readonly Dependency[],
  settings: WaitSettings,
  { signal, log, live, inherited }: Pick<Context, 'signal' | 'log' | 'live' | 'inherited'>,
  tell?: WaitContext['tell'],
): Promise<void> {
  const { podName = hostname(), nodeName, kubeconfig, namespace, ...options } = settings;
  const own = ownContainer();
  using api = lazyKube(() => kubeSource(kubeconfig, inherited), namespace);
  try {
    const self = { podName, nodeName, container: own?.name };
    await waitForAll(dependencies, { ...options, self }, { signal, log, live, tell, kube: api.get });
  } catch (error) {
    // Only who has said which Pod this is, or had it said by the kubelet, means a Pod of that name.
    const isKnown = settings.podName !== undefined || own !== undefined;
    if (error instanceof KollaError && !(error instanceof SignalError) && isKnown)
      await announce(error.message, { podName, podUid: own?.podUid }, { kube: api.get, log, signal });
    throw error;
  }
}
