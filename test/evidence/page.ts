import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JudgedRow, Page } from './judge.ts';
import { EVERY, namesOf } from './row.ts';

/** The page's text: a table with a line for each row. */
export function textOf({ title, rows, commit }: Page): string {
  const held = rows.filter(({ verdict }) => verdict === 'holds').length;
  return [
    `# ${title}`,
    '',
    `Printed by \`make evidence\`: ${held} of ${rows.length} points hold. A test is run with \`node_modules/.bin/node --test FILE\`.`,
    '',
    '| point | test | file | count | commit | holds |',
    '|---|---|---|---|---|---|',
    ...rows.map((row) => lineOf(row, commit)),
    '',
  ].join('\n');
}

/** Writes each page to `directory`/NAME.md. */
export async function writePages(pages: readonly Page[], directory = 'docs/evidence'): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const page of pages) await writeFile(join(directory, `${page.name}.md`), textOf(page));
}

function lineOf({ row, verdict, passed, why }: JudgedRow, commit: string): string {
  const names = namesOf(row).map((name) => (name === EVERY ? 'all of the file' : String(name)));
  const holds = { holds: 'yes', 'not run': `not run here: ${why}`, fails: `**no**: ${why}`, missing: `**no**: ${why}` };
  const cells = [row.point, names.join('; '), `\`${row.file}\``, String(passed), commit, holds[verdict]];
  return `| ${cells.map(cell).join(' | ')} |`;
}

/** Escapes a cell of a table: one line, without bars. */
function cell(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll('|', '\\|');
}
