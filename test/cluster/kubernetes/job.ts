import { until } from '../../support/until.ts';
import type { Cluster } from './api.ts';

/**
 * Completes a Job's Pods where no kubelet runs them: the real controller then makes the Job Complete or, after its
 * allowed failures, Failed. A Job's own status cannot be written while its controller owns it.
 */
export async function endPodsOf(
  cluster: Cluster,
  namespace: string,
  job: string,
  phase: 'Succeeded' | 'Failed',
): Promise<void> {
  const selector = `--selector=batch.kubernetes.io/job-name=${job}`;
  const pods = await until(`a Pod of Job ${namespace}/${job}`, async () => {
    const names = await cluster.kubectl([`--namespace=${namespace}`, 'get', 'pods', selector, '--output=name']);
    return names.trim() === '' ? undefined : names.trim().split('\n');
  });
  const patch = JSON.stringify({ status: { phase } });
  await cluster.kubectl([
    `--namespace=${namespace}`,
    'patch',
    ...pods,
    '--subresource=status',
    '--type=merge',
    '--patch',
    patch,
  ]);
}
