import { availableParallelism } from 'node:os';
import { commitNow } from '../../../tools/commit.ts';
import { writePage } from '../page.ts';
import type { Stage } from '../stage.ts';
import { timelineTable } from '../table.ts';
import type { MeasuredPhase } from './load.ts';
import type { OnlineMigration } from './online.ts';
import { outcomeTable, type Outcome } from './outcome.ts';
import type { Schema } from './schemas.ts';
import type { UpgradeCheck } from './upgrade-checks.ts';

/** The upgrade of `make cloud-upgrade`; others have their releases in the name. */
const PAIR = '2025.1-2026.1';
const CHECK_RESULTS: Readonly<Record<number, string>> = { 0: 'success', 1: 'warnings' };

export interface UpgradeReport extends Outcome<MeasuredPhase> {
  readonly stage: Stage;
  readonly online: readonly OnlineMigration[];
  /** By the new release, on the databases of the old one, and at the end. */
  readonly checks: readonly UpgradeCheck[];
  readonly after: readonly UpgradeCheck[];
}

/** Writes a page in docs/evidence from the run's observations. */
export async function writeUpgradeReport(report: UpgradeReport): Promise<void> {
  const pair = `${report.from}-${report.to}`;
  await writePage(pair === PAIR ? 'upgrade' : `upgrade-${pair}`, await pageOf(report));
}

async function pageOf({ timeline, from, to, phases, rows, online, checks, after }: UpgradeReport): Promise<string> {
  const commit = await commitNow();
  const upgrade = phases.slice(1);
  const seconds = (upgrade.at(-1)?.to ?? 0) - (upgrade[0]?.from ?? 0);
  return [
    `# From ${from} to ${to} under load`,
    '',
    `Printed by \`FROM=${from} RELEASE=${to} EVIDENCE=1 make cloud-upgrade\` at ${commit}, on ${availableParallelism()} processors: all charts in ${seconds.toFixed(0)} s.`,
    'Each API gets a GET by a new connection and one by a kept connection every two seconds, Keystone a login;',
    'servers, and volumes, images and stacks in turn, are created and deleted again and again.',
    '',
    '## Requests and operations',
    '',
    ...outcomeTable(phases, rows, from),
    '',
    '## Databases',
    '',
    'Revision of Alembic, tables and rows at the end of each part; the load creates and deletes rows meanwhile.',
    '',
    '| after | database | revision | tables | rows |',
    '|---|---|---|---|---|',
    ...phases.flatMap(({ name, schemas }, index) => {
      const earlier = phases[index - 1]?.schemas ?? [];
      const changed = schemas.filter((one) => index === 0 || revisionOf(earlier, one.database) !== one.revision);
      return changed.map(({ database, revision, tables, rows: count }) => {
        return `| ${name} | ${database} | ${revision} | ${tables} | ${count} |`;
      });
    }),
    '',
    'Online migrations, of the rows that were there when each ran:',
    '',
    '| service | migration | rows | migrated |',
    '|---|---|---|---|',
    ...online.map(({ service, name, needed, completed }) => `| ${service} | ${name} | ${needed} | ${completed} |`),
    '',
    '## upgrade check',
    '',
    `By ${to}, on the databases of ${from} and at the end.`,
    '',
    '| service | before | after |',
    '|---|---|---|',
    ...checks.map(({ service, code }) => {
      const later = after.find((one) => one.service === service)?.code ?? Number.NaN;
      return `| ${service} | ${resultOf(code)} | ${resultOf(later)} |`;
    }),
    '',
    '## Timeline',
    '',
    ...timelineTable(timeline.steps),
    '',
  ].join('\n');
}

/** oslo.upgradecheck's exit code in words; from 2 on the tool has failed or does not run. */
function resultOf(code: number): string {
  return CHECK_RESULTS[code] ?? `the tool ends with ${code}`;
}

function revisionOf(schemas: readonly Schema[], name: string): string | undefined {
  return schemas.find(({ database }) => database === name)?.revision;
}
