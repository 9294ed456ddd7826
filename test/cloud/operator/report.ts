import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../../build/bundle.ts';
import { commitNow } from '../../../tools/commit.ts';
import { writePage } from '../page.ts';
import { timelineTable } from '../table.ts';
import type { Phase } from '../upgrade/load.ts';
import { outcomeTable, type Outcome } from '../upgrade/outcome.ts';

const CLOUD = 'k8s/examples/cloud/openstack.yaml';

export interface OperatorReport extends Outcome<Phase> {
  /** What was done to it during the upgrade, at moments of this seed. */
  readonly strikes: readonly string[];
  readonly seed: number;
  readonly kills: number;
  /** FAULTS; empty if only the operator was struck. */
  readonly faults: string;
  readonly revisions: Readonly<Record<string, number>>;
}

/** Writes docs/evidence/cloud-operator.md, or with faults chaos-upgrade.md, from the run's observations. */
export async function writeOperatorReport(report: OperatorReport): Promise<void> {
  await writePage(report.faults === '' ? 'cloud-operator' : 'chaos-upgrade', await pageOf(report));
}

async function pageOf(report: OperatorReport): Promise<string> {
  const { timeline, from, to, phases, rows, strikes, seed, kills, faults, revisions } = report;
  const upgrade = phases.slice(1);
  const seconds = (upgrade.at(-1)?.to ?? 0) - (upgrade[0]?.from ?? 0);
  const lines = (await readFile(join(ROOT, CLOUD), 'utf8')).trimEnd().split('\n').length;
  const more = Object.entries(revisions).filter(([, count]) => count !== 1);
  return [
    `# A cloud by kolla-operator, from ${from} to ${to} under load${faults === '' ? '' : ' and faults'}`,
    '',
    `Printed by \`FROM=${from} RELEASE=${to} KILLS=${kills} SEED=${seed}${faults === '' ? '' : ` FAULTS='${faults}'`} EVIDENCE=1 make cloud-operator\` at ${await commitNow()}, on ${availableParallelism()} processors.`,
    `Installed from [one object of ${lines} lines](../../${CLOUD}), upgraded by \`kolla-pod upgrade ${to} --watch\` in ${seconds.toFixed(0)} s;`,
    `meanwhile: ${strikes.join('; ')}. Each service got one revision of Helm${more.length === 0 ? '' : `, but ${more.map(([name, count]) => `${name} ${count}`).join(', ')}`}.`,
    'The load is that of [`make cloud-upgrade`](upgrade.md).',
    '',
    '## Requests and operations',
    '',
    ...outcomeTable(phases, rows, from),
    '',
    '## Timeline',
    '',
    ...timelineTable(timeline.steps),
    '',
  ].join('\n');
}
