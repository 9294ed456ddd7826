import { messageOf } from './errors.ts';

/**
 * Why a text is not YAML, by an error of js-yaml: `unidentified alias (3:12)`, with line and column. Without what the parser quotes
 * and the lines that it shows, since both may be part of a password.
 * @param linesBefore the text that was parsed
 */
export function yamlProblem(error: unknown, linesBefore: number = 0): string {
  const { reason, mark } = error as { reason?: string; mark?: Mark };
  if (reason === undefined) return messageOf(error).split('\n', 1)[0]!;
  const plain = mark?.buffer === undefined ? undefined : plainReason(mark.buffer, mark, linesBefore);
  if (plain !== undefined) return plain;
  const words = reason
    .replaceAll("':'", 'a colon')
    .replaceAll("','", 'a comma')
    .split(/\s*["'`<!:]/, 1)[0]!;
  return mark === undefined ? words : `${words} (${linesBefore + mark.line + 1}:${mark.column + 1})`;
}

/** Where js-yaml stopped. */
interface Mark {
  readonly line: number;
  readonly column: number;
  readonly position: number;
  /** The text. */
  readonly buffer?: string;
}

/** The usual mistakes, for which the parser names only a consequence. */
function plainReason(text: string, { line, position }: Mark, linesBefore: number): string | undefined {
  if (/^ *\t/.test(text.split('\n', line + 1)[line] ?? '')) return `line ${linesBefore + line + 1} begins with a tab`;
  const unclosed = unclosedBefore(text, position);
  // A bracket that closes another one, the end, or a line that does not belong into the brackets.
  const isCause = unclosed !== undefined && /^(?:[\]}\0]|$)/.test(text.slice(position));
  if (unclosed === undefined || !(isCause || isLineStart(text, position))) return undefined;
  const at = linesBefore + text.slice(0, unclosed).split('\n').length;
  const what = /["']/.test(text[unclosed]!) ? 'the quote' : text[unclosed];
  return `${what} of line ${at} is not closed`;
}

function isLineStart(text: string, position: number): boolean {
  return /(?:^|\n) *$/.test(text.slice(0, position));
}

/** The innermost bracket or the quote that is still open; undefined if there is none. */
function unclosedBefore(text: string, end: number): number | undefined {
  const open: number[] = [];
  for (let at = 0; at < end; at++) {
    const mark = text[at]!;
    const isInside = open.length > 0;
    if ((mark === '"' || mark === "'") && startsToken(text, at, isInside)) {
      const close = closingQuote(text, at, end);
      if (close === undefined) return at;
      at = close;
    } else if (mark === '#' && /^$|\s/.test(text[at - 1] ?? '')) {
      const lineEnd = text.indexOf('\n', at);
      at = lineEnd === -1 ? end : lineEnd;
    } else if ((mark === '[' || mark === '{') && (isInside || startsToken(text, at, false))) open.push(at);
    else if (mark === ']' || mark === '}') open.pop();
  }
  return open.at(-1);
}

/** Spaces before a token that are looked through. */
const LOOK_BACK = 200;

/** Whether a value or key begins here; elsewhere quotes and brackets are ordinary characters. */
function startsToken(text: string, at: number, isInside: boolean): boolean {
  const before = text.slice(Math.max(0, at - LOOK_BACK), at);
  return /(?:^|\n|[:?-] )\s*$/.test(before) || (isInside && /[[{,:]\s*$/.test(before));
}

function closingQuote(text: string, start: number, end: number): number | undefined {
  const quote = text[start]!;
  for (let at = start + 1; at < end; at++) {
    if (quote === '"' && text[at] === '\\') at++;
    else if (text[at] === quote) {
      if (quote === '"' || text[at + 1] !== quote) return at;
      at++;
    }
  }
  return undefined;
}
