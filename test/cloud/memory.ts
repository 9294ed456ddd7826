import { COMPUTE_NODES, CONTROL_NODE, NAMESPACE, type Stage } from './stage.ts';

/** A Pod's working set, as kubelet reports it. */
export interface Memory {
  readonly pod: string;
  readonly mebibytes: number;
}

interface Summary {
  readonly pods: readonly {
    readonly podRef: { readonly name: string; readonly namespace: string };
    readonly containers?: readonly { readonly memory?: { readonly workingSetBytes?: number } }[];
  }[];
}

/** The working sets of all Pods in the namespace, the largest first. */
export async function memoryOf({ node }: Stage): Promise<Memory[]> {
  const summaries = await Promise.all(
    [CONTROL_NODE, ...COMPUTE_NODES].map(async (name) => {
      return JSON.parse(await node.kubectl(['get', '--raw', `/api/v1/nodes/${name}/proxy/stats/summary`])) as Summary;
    }),
  );
  return summaries
    .flatMap(({ pods }) => pods)
    .filter(({ podRef }) => podRef.namespace === NAMESPACE)
    .map(({ podRef, containers = [] }) => {
      const bytes = containers.reduce((sum, { memory }) => sum + (memory?.workingSetBytes ?? 0), 0);
      return { pod: podRef.name, mebibytes: bytes / 2 ** 20 };
    })
    .toSorted((a, b) => b.mebibytes - a.mebibytes);
}
