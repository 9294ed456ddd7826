import { visibleLength, type Terminal } from '../core/terminal.ts';

/** Minimum width of the last column. */
const LEAST_COLUMNS = 36;
const INDENT_BELOW = 6;

/** Formats rows in aligned columns. The last column wraps at the terminal's width. */
export function table(terminal: Terminal, head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (head.length === 0 && rows.length === 0) return '';
  const all = head.length === 0 ? rows : [head, ...rows];
  const columns = Math.max(0, ...all.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...all.map((row) => visibleLength(row[i] ?? ''))));
  const start = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  // If the last column would be too narrow, it is printed below the others.
  const below = columns > 1 && terminal.width - start < Math.min(LEAST_COLUMNS, widths.at(-1) ?? 0);
  const indent = below ? INDENT_BELOW : start;
  const room = Math.max(20, terminal.width - indent);
  const lines = all.flatMap((row) => {
    const cells = row.slice(0, columns - 1).map((cell, i) => pad(cell, widths[i] ?? 0));
    const folded = fold(row[columns - 1] ?? '', room);
    const [first = '', ...rest] = below ? ['', ...folded] : folded;
    const under = rest.filter((line) => line !== '').map((line) => ' '.repeat(indent) + line);
    return [[...cells, first].join('  ').trimEnd(), ...under];
  });
  return lines.join('\n') + '\n';
}

/** Wraps a text to lines of at most `width` columns. Longer words are not broken. */
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
