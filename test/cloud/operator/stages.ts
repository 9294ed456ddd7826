import { UPGRADE_STAGES } from '../../../src/catalog/order.ts';
import { chartNames } from '../../../build/charts.ts';
import { helm } from '../../../tools/helm.ts';
import { NAMESPACE, type Stage } from '../stage.ts';
import type { Phase } from '../upgrade/load.ts';

interface Revision {
  readonly revision: number;
  /** When Helm began it. */
  readonly updated: string;
  readonly status: string;
}

export interface Stages {
  readonly phases: readonly Phase[];
  /** Revisions that the upgrade made, by Helm release. */
  readonly revisions: Readonly<Record<string, number>>;
}

/**
 * The stages of an upgrade by Helm's own records: each lasts until the next one begins.
 * @param time seconds since 1970, of the whole upgrade
 */
export async function stagesOf(stage: Stage, time: { began: number; ended: number }): Promise<Stages> {
  const begun = new Map<string, number[]>();
  for (const name of chartNames()) {
    const args = ['history', name, '--namespace', NAMESPACE, '--output=json'];
    const { stdout } = await helm(stage.directory, args, stage.node.kubeconfig);
    const times = (JSON.parse(stdout) as Revision[]).map(({ updated }) => Date.parse(updated) / 1000);
    begun.set(
      name,
      times.filter((at) => at >= time.began),
    );
  }
  const starts = UPGRADE_STAGES.map((charts) => ({
    name: charts.join(', '),
    from: Math.min(...charts.flatMap((chart) => begun.get(chart) ?? [])),
  })).filter(({ from }) => Number.isFinite(from));
  const phases = starts.map(({ name, from }, index) => {
    // Between the patch and the first stage is the preflight.
    return { name, from: index === 0 ? time.began : from, to: starts[index + 1]?.from ?? time.ended };
  });
  const revisions = Object.fromEntries([...begun].map(([name, times]) => [name, times.length]));
  return { phases, revisions };
}
