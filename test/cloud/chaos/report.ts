import { availableParallelism } from 'node:os';
import { commitNow } from '../../../tools/commit.ts';
import { writePage } from '../page.ts';
import { cell, timelineTable } from '../table.ts';
import type { Timeline } from '../timeline.ts';
import type { Recovery } from './recovery.ts';

const SHOWN_FAILURES = 3;
/** What this run leaves to others. */
const NOT_STRUCK = [
  'the control node: it is the only one, with everything on it',
  'a clock that moves: in the tests of kolla-log-ship',
  'two nodes of MariaDB or RabbitMQ at a time: in the tests on Galera, and of the charts',
  'an upgrade at the same time: `make cloud-operator FAULTS=.`',
];

/** A fault, or a pair, and its recovery. */
export interface Struck extends Recovery {
  readonly name: string;
  /** The Pod, node or server. */
  readonly hit: string;
}

export interface ChaosReport {
  readonly timeline: Timeline;
  readonly release: string;
  readonly seed: number;
  readonly minutes: number;
  readonly rows: readonly Struck[];
}

/** Writes docs/evidence/chaos.md from the run's observations. */
export async function writeChaosReport(report: ChaosReport): Promise<void> {
  await writePage('chaos', await pageOf(report));
}

async function pageOf({ timeline, release, seed, minutes, rows }: ChaosReport): Promise<string> {
  const commit = await commitNow();
  const failures = rows.flatMap(({ name, samples }) => {
    const failed = samples.filter(({ ok }) => !ok);
    const words = [...new Set(failed.map(({ what, kind, saw }) => `${what}, ${kind}: ${saw}`))];
    return words.slice(0, SHOWN_FAILURES).map((saw) => `| ${name} | ${cell(saw)} |`);
  });
  return [
    `# ${rows.length} faults in ${minutes} minutes`,
    '',
    `Printed by \`make chaos MINUTES=${minutes} SEED=${seed} EVIDENCE=1\` at ${commit}: OpenStack ${release} on ${availableParallelism()} processors,`,
    'under the load of `make cloud-upgrade`. *Ready*: from the end of the fault until every workload had all of its replicas.',
    '*Serves*: until each API had answered and each operation (server, volume, image, stack) had succeeded once more, which takes',
    'half a minute without any fault. Nothing but Kubernetes and the Pods themselves repaired anything.',
    ...(timeline.steps.some(({ hasFailed }) => hasFailed) ? ['', '**The run failed; the timeline says where.**'] : []),
    '',
    '| fault | hit | ready | serves | requests, failed | nodes not ready | restarted | replaced |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(({ name, hit, readySeconds, servingSeconds, samples, unreadyNodes, restarted, replaced }) => {
      const failed = samples.filter(({ ok }) => !ok).length;
      const lists = [unreadyNodes, restarted, replaced].map((names) => names.join(', ') || '–');
      return `| ${name} | ${hit} | ${readySeconds.toFixed(0)} s | ${servingSeconds.toFixed(0)} s | ${samples.length}, ${failed} | ${lists.join(' | ')} |`;
    }),
    '',
    '## What clients saw',
    '',
    '| during | request or operation |',
    '|---|---|',
    ...failures,
    '',
    '## Timeline',
    '',
    ...timelineTable(timeline.steps),
    '',
    '## Not struck',
    '',
    ...NOT_STRUCK.map((line) => `- ${line}`),
    '',
  ].join('\n');
}
