import { printable } from '../core/log.ts';
import { paint, type Terminal } from '../core/terminal.ts';
import { titleOf, type Change } from './change.ts';

/**
 * Changes as a person reads a diff: `+` for what is made, `-` for what is removed, `~` for what is there and differs, with
 * its old and new values.
 * Values come from a server, so nothing in them steers a terminal.
 */
export function diffText(changes: readonly Change[], terminal: Terminal): string {
  return changes.map((change) => `${textOf(change, terminal)}\n`).join('');
}

const MARKS = { create: ['+', 'green'], update: ['~', 'yellow'], delete: ['-', 'red'] } as const;

function textOf(change: Change, terminal: Terminal): string {
  const [mark, style] = MARKS[change.action];
  const title = paint(terminal, style, `${mark} ${printable(titleOf(change))}`);
  const lines = change.fields.flatMap(({ name, before, after }) => {
    if (before === undefined) return [`    ${name}: ${printable(after)}`];
    const [minus, plus] = [
      `    ${name}: - ${printable(before)}`,
      `    ${' '.repeat(name.length + 1)} + ${printable(after)}`,
    ];
    return [paint(terminal, 'red', minus), paint(terminal, 'green', plus)];
  });
  const lacks = change.lacks === undefined ? [] : [paint(terminal, 'red', `    lacks: ${printable(change.lacks)}`)];
  return [title, ...lines, ...lacks].join('\n');
}
