/** What the load met in an upgrade: printed, as a table of a page, and judged. */
import assert from 'node:assert/strict';
import { cell } from '../table.ts';
import type { Timeline } from '../timeline.ts';
import { limitOf } from './limits.ts';
import type { Phase, Row } from './load.ts';

/** An upgrade under load, as its page has it. */
export interface Outcome<P extends Phase> {
  readonly timeline: Timeline;
  readonly from: string;
  readonly to: string;
  readonly phases: readonly P[];
  readonly rows: readonly Row[];
}

/** Prints the table and what failed. */
export function printOutcome(rows: readonly Row[]): void {
  for (const { phase, what, count, failed, longestSeconds } of rows)
    console.log(
      `${phase.padEnd(32)} ${what.padEnd(10)} ${String(count).padStart(5)} ${String(failed.length).padStart(5)} failed, longest ${longestSeconds.toFixed(1)} s`,
    );
  for (const { phase, what, failed } of rows.filter((row) => row.failed.length > 0)) {
    console.log(`${what} during ${phase}:`);
    for (const { kind, saw } of failed) console.log(`  ${kind}: ${saw}`);
  }
}

/** @param from the old release  @returns a line per part of the upgrade, then a line per failure */
export function outcomeTable(phases: readonly Phase[], rows: readonly Row[], from: string): string[] {
  const kinds = [...new Set(rows.toSorted(byKind).map(({ what }) => what))];
  const failed = rows.flatMap((row) => row.failed.map((sample) => ({ row, sample })));
  return [
    'Number, failed ones in bold, and the longest, of requests to each service and of operations.',
    '',
    `| during | ${kinds.join(' | ')} |`,
    `|---|${'---|'.repeat(kinds.length)}`,
    ...phases.map(({ name, from: began, to: ended }) => {
      const cells = kinds.map((kind) => cellOf(rows.find(({ phase, what }) => phase === name && what === kind)));
      return `| ${name}, ${(ended - began).toFixed(0)} s | ${cells.join(' | ')} |`;
    }),
    '',
    ...(failed.length === 0
      ? ['None failed.']
      : ['| failed during | what | seen | known limit of the service |', '|---|---|---|---|']),
    ...failed.map(({ row, sample }) => {
      return `| ${row.phase} | ${row.what}, ${sample.kind} | ${cell(sample.saw)} | ${limitOf(row, sample, from) ?? '–'} |`;
    }),
  ];
}

/** Nothing failed but by a limit of OpenStack itself. */
export function assertOnlyLimits(rows: readonly Row[], from: string): void {
  assert.deepEqual(
    rows.flatMap((row) => row.failed.filter((sample) => limitOf(row, sample, from) === undefined)),
    [],
  );
}

/** Services before operations, which have no requests of their own. */
function byKind(one: Row, other: Row): number {
  return Number(one.isOperation) - Number(other.isOperation) || one.what.localeCompare(other.what);
}

function cellOf(row: Row | undefined): string {
  if (row === undefined) return '–';
  const failed = row.failed.length > 0 ? `, **${row.failed.length} failed**` : '';
  return `${row.count}${failed}, ${row.longestSeconds.toFixed(1)} s`;
}
