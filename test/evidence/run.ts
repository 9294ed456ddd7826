/**
 * Prints docs/evidence/<capability>.md: `node test/evidence/run.ts [CAPABILITY]...`, all of them without a word.
 *
 *   points (data) -> each command run as a user would -> expected against got -> one row each
 *
 * A row that does not hold is printed as such and makes the run fail: a shortfall is shown, not left out.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { must, run } from '../support/process.ts';
import { kollaContract } from './kolla-contract.ts';
import { waits } from './waits.ts';
import { podLife } from './pod-life.ts';
import type { Capability, Point } from './point.ts';

const CAPABILITIES: readonly Capability[] = [podLife, kollaContract, waits];

interface Row {
  readonly point: Point;
  readonly holds: boolean;
  readonly got: string;
  readonly seconds: number;
}

const asked = process.argv.slice(2);
await mkdir('docs/evidence', { recursive: true });
for (const capability of CAPABILITIES.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  const rows: Row[] = [];
  for (const point of capability.points) rows.push(await tryPoint(point));
  await writeFile(`docs/evidence/${capability.name}.md`, await page(capability, rows));
  if (rows.some((row) => !row.holds)) process.exitCode = 1;
}

async function tryPoint(point: Point): Promise<Row> {
  const began = performance.now();
  const { code, stdout, stderr } = await run('bash', ['-c', point.command]);
  const output = `${stdout}\n${stderr}`;
  const line = output.split('\n').find((text) => point.match.test(text));
  const holds = code === (point.exit ?? 0) && line !== undefined;
  const got = line ?? `exit ${code}: ${output.trim().split('\n').at(-1) ?? ''}`;
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `${holds ? '✔' : '✖'} ${point.point} (${seconds.toFixed(1)} s)${holds ? '' : `\n${output.slice(-3000)}`}`,
  );
  return { point, holds, got: `exit ${code}: ${got.trim()}`, seconds };
}

async function page({ title, points }: Capability, rows: readonly Row[]): Promise<string> {
  const commit = (await must('git', ['rev-parse', '--short=12', 'HEAD'])).trim();
  const clean = (await must('git', ['status', '--porcelain', '--', ':!docs/evidence'])).trim() === '';
  const held = rows.filter((row) => row.holds).length;
  const lines = rows.map(({ point, holds, got, seconds }) => {
    const expected = `exit ${point.exit ?? 0}, ${point.match.source}`;
    const cells = [
      point.point,
      `\`${point.command}\``,
      `\`${expected}\``,
      `\`${got}\``,
      `${seconds.toFixed(1)} s`,
      holds ? 'yes' : '**no**',
    ];
    return `| ${cells.map(cell).join(' | ')} |`;
  });
  return [
    `# ${title}`,
    '',
    `Printed by \`make evidence\` at commit ${commit}${clean ? '' : ' with uncommitted changes'}: ${held} of ${points.length} points hold.`,
    '',
    '| point | command | expected | got | took | holds |',
    '|---|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}

/** A table's cell: one line, no bar, and no path of the machine that printed it. */
function cell(text: string): string {
  return text.replaceAll(process.cwd(), '.').replaceAll('\n', ' ').replaceAll('|', '\\|').slice(0, 400);
}
