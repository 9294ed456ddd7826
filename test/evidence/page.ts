import type { Capability, Point } from './point.ts';

/** What was seen of a point. */
export interface Row {
  readonly point: Point;
  readonly holds: boolean;
  readonly got: string;
  /** What `table` of the point found. */
  readonly table?: string | undefined;
  readonly seconds: number;
  /** The commit at which the command ran. */
  readonly commit: string;
}

/** The page's text. Each row has its own commit, so that one point can be tried again without the rest. */
export function pageOf({ title, points }: Capability, rows: readonly Row[], former: string): string {
  const kept = rowsIn(former);
  const fresh = new Map(rows.map((row) => [cell(row.point.point), lineOf(row)]));
  const lines = points.flatMap(({ point }) => fresh.get(cell(point)) ?? kept.get(cell(point)) ?? []);
  const keptTables = tablesIn(former);
  const freshTables = new Map(rows.map((row) => [cell(row.point.point), row.table]));
  const tables = points.flatMap(({ point }) => {
    const heading = cell(point);
    const table = freshTables.has(heading) ? freshTables.get(heading) : keptTables.get(heading);
    return table === undefined ? [] : [`## ${heading}`, '', '```', table, '```', ''];
  });
  const held = lines.filter((line) => line.endsWith(' yes |')).length;
  return [
    `# ${title}`,
    '',
    `Printed by \`make evidence\`: ${held} of ${points.length} points hold.`,
    '',
    '| point | command | expected | got | took | commit | holds |',
    '|---|---|---|---|---|---|---|',
    ...lines,
    '',
    ...tables,
  ].join('\n');
}

/** The rows of a page that was printed before, by point. */
function rowsIn(page: string): Map<string, string> {
  const lines = page.split('\n').filter((line) => line.startsWith('| '));
  return new Map(lines.map((line) => [line.slice(2, line.indexOf(' | ')), line]));
}

function tablesIn(page: string): Map<string, string> {
  const found = page.matchAll(/^## (.*)\n\n```\n([^]*?)\n```$/gm);
  return new Map([...found].map(([, heading = '', table = '']) => [heading, table]));
}

function lineOf({ point, holds, got, seconds, commit }: Row): string {
  const expected = `exit ${point.exit ?? 0}, ${point.match.source}`;
  const seen = [`\`${point.command}\``, `\`${expected}\``, `\`${got}\``, `${seconds.toFixed(1)} s`, commit];
  return `| ${[point.point, ...seen, holds ? 'yes' : '**no**'].map(cell).join(' | ')} |`;
}

/** A table's cell: one line, no bar, and no path of the machine that printed it. */
function cell(text: string): string {
  return text.replaceAll(process.cwd(), '.').replaceAll('\n', ' ').replaceAll('|', '\\|').slice(0, 400);
}
