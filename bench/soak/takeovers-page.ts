import type { GaleraOptions } from '../../test/cluster/galera.ts';
import type { Tally } from '../takeovers/index.ts';

/** Takeovers with one lease duration on one cluster. */
export interface Part {
  readonly name: string;
  readonly timing: GaleraOptions['timing'];
  readonly times: { readonly leaseMs: number; readonly lossMs: number };
  readonly tally: Tally;
}

export interface SoakRun {
  readonly commit: string;
  readonly seed: number;
  readonly machine: string;
  readonly seconds: number;
}

/** docs/evidence/soak-takeovers.md of a run in which nothing was wrong. */
export function pageOf(parts: readonly Part[], { commit, seed, machine, seconds }: SoakRun): string {
  const sum = (of: (tally: Tally) => number) => parts.reduce((total, { tally }) => total + of(tally), 0);
  const total = sum((tally) => tally.total);
  return [
    '# A thousand takeovers of a migration',
    '',
    `Printed by \`make soak\` at commit ${commit}, in ${Math.round(seconds / 60)} min on ${machine}; seed ${seed}.`,
    '',
    'Twelve contenders a database on three real nodes of Galera and a real API server; several databases at once. The migration writes a journal through all',
    'nodes and does not end by itself. A fault strikes the holder; another migrator takes over; the fault is undone; the successor then ends well, which',
    'is counted as `release`. Judged by the journal in the order in which the cluster committed it.',
    '',
    '| what | |',
    '|---|---|',
    `| takeovers | ${total} |`,
    `| rows of the journal that were judged | ${sum((tally) => tally.rows)} |`,
    '| rows of a migration after its successor had begun | 0 |',
    '| rows of a frozen or interrupted migration after it was thawed or reconnected | 0 |',
    '| tokens that did not grow | 0 |',
    '| times that no migrator finished once the fault was gone | 0 |',
    `| holders that lost a lease of 2 s by themselves, the machine being busy; judged as well, not counted | ${sum((tally) => tally.spoiled)} |`,
    ...parts.flatMap(({ name, tally }) => [
      '',
      `## ${name}`,
      '',
      '| fault | takeovers | soonest | half within | latest |',
      '|---|---|---|---|---|',
      ...tally.taken
        .toSorted((a, b) => a.fault.localeCompare(b.fault))
        .map(({ fault, count, ...times }) => {
          const [min, median, max] = [times.min, times.median, times.max].map((ms) => `${(ms / 1000).toFixed(1)} s`);
          return `| ${fault} | ${count} | ${min} | ${median} | ${max} |`;
        }),
    ]),
    '',
    'Times are from the fault to the first row of the successor.',
    '',
  ].join('\n');
}
