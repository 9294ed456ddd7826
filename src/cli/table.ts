import { visibleLength, type Terminal } from './terminal.ts';

/** Rows in aligned columns. The last column is folded at the terminal's width instead of running over it. */
export function table(terminal: Terminal, head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (head.length === 0 && rows.length === 0) return '';
  const all = head.length === 0 ? rows : [head, ...rows];
  const columns = Math.max(0, ...all.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...all.map((row) => visibleLength(row[i] ?? ''))));
  const indent = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  const room = Math.max(20, terminal.width - indent);
  const lines = all.flatMap((row) => {
    const start = row.slice(0, columns - 1).map((cell, i) => pad(cell, widths[i] ?? 0));
    const [first = '', ...rest] = fold(row[columns - 1] ?? '', room);
    return [[...start, first].join('  ').trimEnd(), ...rest.map((line) => ' '.repeat(indent) + line)];
  });
  return lines.join('\n') + '\n';
}

/** Words in lines of at most `width` columns; a longer word stays whole. */
export function fold(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && visibleLength(line) + 1 + visibleLength(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - visibleLength(cell)));
}
