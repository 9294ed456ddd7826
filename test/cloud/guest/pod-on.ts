import type { Stage } from '../stage.ts';

/** The Pod of a workload on a node, which sees what the node has. */
export async function podOn({ kubectl }: Stage, node: string, chart: string, component: string): Promise<string> {
  const labels = `app.kubernetes.io/name=${chart},app.kubernetes.io/component=${component}`;
  const where = ['--selector', labels, `--field-selector=spec.nodeName=${node}`, '--output=name'];
  return (await kubectl(['get', 'pods', ...where])).trim();
}
