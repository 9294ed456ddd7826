import { formatDuration } from '../core/duration.ts';
import type { LiveLine, Room } from '../cli/live.ts';
import type { Row } from './board.ts';

const WORDS = { open: 'waiting', met: 'ready' } as const;
const WORD_COLUMNS = 'waiting'.length;
const DURATION_COLUMNS = '59m59s'.length;
/** The space between columns. */
const GAP = '  ';
/** The dependency's share of the remaining width; the rest is for its state. */
const TEXT_SHARE = 0.5;
const LEAST_COLUMNS = 8;

/**
 * The dependencies as lines of a terminal: pending ones first if there is not enough room. Each line may be truncated
 * at its end.
 * @param now the time on the board's clock
 */
export function tableLines(rows: readonly Row[], now: number, { columns, lines }: Room): LiveLine[] {
  const shown = chosen(rows, lines);
  const widest = Math.max(0, ...shown.map(({ text }) => text.length));
  const left = columns - WORD_COLUMNS - DURATION_COLUMNS - 3 * GAP.length;
  const width = Math.min(widest, Math.max(LEAST_COLUMNS, Math.floor(left * TEXT_SHARE)));
  const drawn = shown.map(({ text, state, since, began, isMet }): LiveLine => {
    const word = WORDS[isMet ? 'met' : 'open'].padEnd(WORD_COLUMNS);
    const duration = wholeSeconds(isMet ? since - began : now - since).padStart(DURATION_COLUMNS);
    return { text: [word, fit(text, width), duration, state].join(GAP), style: isMet ? 'green' : undefined };
  });
  const hidden = rows.length - shown.length;
  return hidden === 0 ? drawn : [...drawn, { text: leftOver(rows, hidden), style: 'dim' }];
}

function chosen(rows: readonly Row[], lines: number): readonly Row[] {
  if (rows.length <= lines) return rows;
  const open = rows.filter(({ isMet }) => !isMet);
  return [...open, ...rows.filter(({ isMet }) => isMet)].slice(0, Math.max(1, lines - 1));
}

function leftOver(rows: readonly Row[], left: number): string {
  const open = rows.filter(({ isMet }) => !isMet).length;
  return `... and ${left} more; ${rows.length - open} of ${rows.length} ready`;
}

/** Truncates a text in the middle, because the kind is at the start, and names differ at the end. */
function fit(text: string, width: number): string {
  if (text.length <= width) return text.padEnd(width);
  const head = Math.ceil((width - 3) / 2);
  return `${text.slice(0, head)}...${text.slice(text.length - (width - 3 - head))}`;
}

function wholeSeconds(ms: number): string {
  return ms < 1000 ? '0s' : formatDuration(Math.floor(ms / 1000) * 1000);
}
