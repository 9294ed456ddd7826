import { printable } from '../../core/log.ts';
import { paint, type Terminal } from '../../core/terminal.ts';
import type { Difference } from './compare.ts';
import type { Content } from './reveal.ts';

/** Differences for users: one line per subject, followed by its details. Colours only on a terminal. */
export function renderDifferences(differences: readonly Difference[], terminal: Terminal): string {
  return differences.flatMap((one) => lines(one, terminal)).join('');
}

function lines({ path, entry, is, content, target, mode, owner }: Difference, terminal: Terminal): string[] {
  const about = [
    ...(is === undefined ? [] : [`is ${is}`]),
    ...(content === undefined ? [] : contentLines(content, terminal)),
    ...(target === undefined
      ? []
      : [`links to ${printable(target.actual)}, should link to ${printable(target.wanted)}`]),
    ...(mode === undefined ? [] : [`mode is ${mode.actual}, should be ${mode.wanted}`]),
    ...(owner === undefined ? [] : [`owner is ${owner.actual}, should be ${owner.wanted}`]),
  ];
  const head = `${paint(terminal, 'bold', printable(path))} ${paint(terminal, 'dim', `(${entry})`)}`;
  return [head, ...about.map((line) => (line.trim() === '' ? '' : `  ${line}`))].map((line) => `${line}\n`);
}

function contentLines({ actual, wanted, diff, hidden }: Content, terminal: Terminal): string[] {
  if (diff === undefined)
    return [
      `content differs, not shown because ${hidden}: is ${actual.bytes} bytes, digest ${actual.digest}, ` +
        `should be ${wanted.bytes} bytes, digest ${wanted.digest}`,
    ];
  return ['content differs (- installed, + wanted)', ...diff.map((line) => painted(line, terminal))];
}

function painted(line: string, terminal: Terminal): string {
  if (line.startsWith('@@')) return paint(terminal, 'cyan', line);
  if (line.startsWith('+')) return paint(terminal, 'green', line);
  return line.startsWith('-') ? paint(terminal, 'red', line) : line;
}
