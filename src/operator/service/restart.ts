import type { Log } from '../../core/log.ts';
import { objectPath } from '../../kube/path.ts';
import type { KubeClient, KubeObject } from '../../kube/types.ts';
import type { ManifestObject } from '../helm/release.ts';
import type { Restart } from '../objects.ts';
import { isWorkloadKind, WORKLOAD_KINDS, type WorkloadKind } from './workloads.ts';

/** Of a Pod template: the release for which its workload was restarted. Helm leaves it alone. */
const RESTARTED_FOR = 'kolla-pod.io/restarted-for';

interface Templated extends KubeObject {
  readonly spec?: { readonly template?: { readonly metadata?: Pick<KubeObject['metadata'], 'annotations'> } };
}

/** Restarts workloads as kubectl does, once for a release: the annotation is what is remembered. */
export async function restart(
  { for: release, workloads }: Restart,
  objects: readonly ManifestObject[],
  read: (kind: WorkloadKind, name: string) => KubeObject | undefined,
  { client, namespace, log }: { readonly client: KubeClient; readonly namespace: string; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  for (const { kind, name } of objects) {
    if (!workloads.includes(name) || !isWorkloadKind(kind) || kind === 'Job') continue;
    const workload: Templated | undefined = read(kind, name);
    if (workload === undefined || workload.spec?.template?.metadata?.annotations?.[RESTARTED_FOR] === release) continue;
    log.info(`restarts ${kind.toLowerCase()}/${name} for ${release}`);
    const body = { spec: { template: { metadata: { annotations: { [RESTARTED_FOR]: release } } } } };
    await client.request('PATCH', objectPath({ ...WORKLOAD_KINDS[kind], namespace, name }), body, { signal });
  }
}
