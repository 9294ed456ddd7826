import type { Context } from '../../cli/command.ts';
import type { Dependency } from '../../wait/index.ts';
import type { JobOptions } from './options.ts';

/**
 * What is waited for before anything is done. Loads the waits only where there are some.
 * @throws UsageError with the place in the text
 */
export async function waitsOf({ wait, timeout }: JobOptions): Promise<readonly Dependency[]> {
  if (wait.length === 0) return [];
  const { checkTimeout, dependenciesOf } = await import('../../container/init/waits.ts');
  checkTimeout(timeout);
  return dependenciesOf(wait);
}

/** Resolves when all are met; rejects as waitForAll() does. */
export async function waitFirst(
  dependencies: readonly Dependency[],
  { timeout: timeoutMs, onFailedJob, osCacert: caFile, kubeconfig, namespace }: JobOptions,
  context: Context,
): Promise<void> {
  if (dependencies.length === 0) return;
  const { waitFor } = await import('../../container/init/waits.ts');
  const own = { podName: undefined, nodeName: undefined, daemonsetAbsent: 'wait' } as const;
  const place = namespace === undefined ? {} : { namespace };
  await waitFor(dependencies, { ...own, ...place, timeoutMs, onFailedJob, caFile, kubeconfig }, context);
}
