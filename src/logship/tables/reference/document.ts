import { numberOf, restOf } from '../captures.ts';
import type { Table } from '../items.ts';
import { RowKind, type Layout, type Row } from '../layout.ts';
import type { Match } from './match.ts';
import type { Matcher } from './matcher.ts';

const TRACEBACK = 'Traceback (most recent call last):';
const NEWLINE = 10;
const QUOTE = 34;
const NUMBER = /^([+-]?)0*(\d+(?:\.\d+)?)$/;
const DECIMAL = /^\d+(?:\.\d+)?$/;
/** The most digits of a number that is shifted. */
const MAX_DIGITS = 15;

/** Writes the documents of events. */
export class DocumentText {
  readonly #matcher: Matcher;
  readonly #layout: Layout;
  readonly #rows: readonly { readonly row: Row; readonly number: number }[];
  readonly #rest: number;
  readonly #trace: Table['trace'];

  constructor(matcher: Matcher, layout: Layout) {
    const { table, captures } = matcher;
    this.#matcher = matcher;
    this.#layout = layout;
    this.#rows = layout.rows.map((row) => ({
      row,
      number: row.capture === undefined ? -1 : numberOf(table, captures, row.capture),
    }));
    const rest = restOf(table);
    this.#rest = rest === undefined ? -1 : captures.indexOf(rest);
    this.#trace = table.trace;
  }

  /** The JSON of an event. @param text its lines without line endings, joined by newlines */
  of(text: Buffer, timeMs: number): string {
    const { isRaw, before, after, tail } = this.#layout;
    const head = `{"@timestamp":"${new Date(timeMs).toISOString()}"`;
    if (isRaw) return `${head}${before}${inside(text)}${after}${tail}`;
    const trace = this.#traceOf(text, timeMs);
    const match = this.#matcher.match(firstLine(text), NaN, timeMs);
    if (match.isMatched && !match.isBad)
      return `${head}${this.#rows.map(({ row, number }) => this.#member(row, number, match, text, trace)).join('')}${tail}`;
    const defaults = this.#rows.map(({ row }) => (row.fallback === undefined ? '' : `${row.key}${row.fallback}`));
    return `${head}${defaults.join('')}${before}${inside(text)}${after}${tail}`;
  }

  #member(row: Row, number: number, match: Match, text: Buffer, trace: string | undefined): string {
    if (row.kind === RowKind.trace) return trace === undefined ? '' : `${row.key}${JSON.stringify(trace)}`;
    const captured = match.text(number);
    if (captured === undefined) return row.fallback === undefined ? '' : `${row.key}${row.fallback}`;
    const value = valueOf(row, captured, match, number, text, trace !== undefined);
    return value === undefined ? '' : `${row.key}${value}`;
  }

  /** The event's traceback; undefined if it has none. */
  #traceOf(text: Buffer, timeMs: number): string | undefined {
    if (this.#trace === undefined) return undefined;
    const lines = linesOf(text);
    const isFrom = this.#trace === 'from';
    const at = lines.findIndex((line, i) =>
      isFrom ? line.indexOf(TRACEBACK) === 0 : i > 0 && line.includes(TRACEBACK),
    );
    if (at === -1) return undefined;
    if (isFrom) return lines.slice(at).map(String).join('\n');
    return lines
      .slice(1)
      .map((line) => String(this.#bare(line, timeMs)))
      .join('\n');
  }

  /** A line of a traceback without the prefix that the format gives to each of them. */
  #bare(line: Buffer, timeMs: number): Buffer {
    const match = this.#matcher.match(line, NaN, timeMs);
    return match.isMatched && match.place === 'resumes' ? line.subarray(match.starts[this.#rest]) : line;
  }
}

/** The lines of an event. */
export function linesOf(text: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let at = text.indexOf(NEWLINE); at !== -1; at = text.indexOf(NEWLINE, from)) {
    lines.push(text.subarray(from, at));
    from = at + 1;
  }
  return [...lines, text.subarray(from)];
}

export function firstLine(text: Buffer): Buffer {
  const newline = text.indexOf(NEWLINE);
  return newline === -1 ? text : text.subarray(0, newline);
}

/** The JSON of a capture's value; undefined if it has none. */
function valueOf(
  { kind, shift = 0, prefix = '' }: Row,
  captured: Buffer,
  match: Match,
  number: number,
  text: Buffer,
  hasTrace: boolean,
): string | undefined {
  switch (kind) {
    case RowKind.number:
      return numberText(captured.toString('latin1'));
    case RowKind.rest:
      return quoted(text.subarray(match.starts[number]));
    case RowKind.restOrLine:
      return quoted(hasTrace ? firstLine(text.subarray(match.starts[number])) : text.subarray(match.starts[number]));
    case RowKind.shifted:
      return shiftedText(captured.toString('latin1'), shift);
    case RowKind.jsonText:
    case RowKind.jsonValue:
      if (match.line[match.starts[number]! - 1] === QUOTE) return `"${captured.toString()}"`;
      return kind === RowKind.jsonText ? quoted(captured) : captured.toString();
    case RowKind.withoutPrefix:
      return quoted(captured.indexOf(prefix) === 0 ? captured.subarray(prefix.length) : captured);
    case RowKind.part:
      return `${inside(captured)}${shift === 1 ? '"' : ''}`;
    case RowKind.text:
    case RowKind.textOrDefault:
    case RowKind.trace:
      return quoted(captured);
  }
}

function quoted(text: Buffer): string {
  return JSON.stringify(text.toString());
}

/** The inside of a JSON string. */
function inside(text: Buffer): string {
  return quoted(text).slice(1, -1);
}

function numberText(text: string): string {
  const [, sign, digits] = NUMBER.exec(text) ?? [];
  return digits === undefined ? 'null' : `${sign === '-' ? sign : ''}${digits}`;
}

/** The digits times ten to the power of `shift`, rounded half up to a whole number. */
function shiftedText(text: string, shift: number): string | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const [whole = '', fraction = ''] = text.split('.');
  if (whole.length + fraction.length > MAX_DIGITS) return undefined;
  const places = shift - fraction.length;
  const value = BigInt(whole + fraction);
  if (places >= 0) return String(value * 10n ** BigInt(places));
  const unit = 10n ** BigInt(-places);
  return String((value + unit / 2n) / unit);
}
