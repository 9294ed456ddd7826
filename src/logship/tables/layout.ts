import { BytesWriter } from './bytes-writer.ts';
import { capturesOf, numberOf } from './captures.ts';
import type { Table } from './items.ts';

/** How a capture is written. */
export const RowKind = {
  text: 0,
  number: 1,
  /** From the capture's start to the end of the event. */
  rest: 2,
  /** The capture or, if it is not set, a ready-made JSON value. */
  textOrDefault: 3,
  /** As `rest`, but only its first line if the event has a traceback. */
  restOrLine: 4,
  /** The event's traceback, if it has one. */
  trace: 5,
  /** The capture times ten to the power of `shift`, rounded. */
  shifted: 6,
  /** A JSON value as text: strings as they are, others as they are written. */
  jsonText: 7,
  /** A JSON value as it is. */
  jsonValue: 8,
  /** Text without a prefix. */
  withoutPrefix: 9,
  /** A part of a text. `shift` is 1 for the last part. */
  part: 10,
} as const;
export type RowKind = (typeof RowKind)[keyof typeof RowKind];

/** A member of documents. */
export interface Row {
  readonly kind: RowKind;
  /** The capture's name. `trace` has none. */
  readonly capture: string | undefined;
  /** What precedes the value: `,"name":`. */
  readonly key: string;
  readonly shift?: number;
  /** JSON of the default. */
  readonly fallback?: string;
  readonly prefix?: string;
}

/** What the documents of a file contain after their timestamp. All texts are ready-made JSON. */
export interface Layout {
  /** Whether each line is a document of its own, which contains the line unparsed. */
  readonly isRaw: boolean;
  readonly rows: readonly Row[];
  /** Before and after the whole text of an event that is unreadable. */
  readonly before: string;
  readonly after: string;
  /** The end of every document. */
  readonly tail: string;
}

/** The bytes of a layout for the host's interpreter. Throws RangeError if a text is too long for it. */
export function layoutBytes({ isRaw, rows, before, after, tail }: Layout, table: Table): Buffer {
  const captures = capturesOf(table);
  const out = new BytesWriter()
    .raw(Buffer.from('KLL1'))
    .u8(isRaw ? 1 : 0, table.name)
    .u8(rows.length, table.name);
  for (const { kind, capture, key, shift = 0, fallback, prefix } of rows) {
    const number = capture === undefined ? 0 : numberOf(table, captures, capture);
    out
      .u8(kind, key)
      .u8(number, key)
      .u8(shift & 255, key)
      .text16(Buffer.from(key), key);
    if (fallback !== undefined) out.text16(Buffer.from(fallback), key);
    if (prefix !== undefined) out.text8(Buffer.from(prefix), key);
  }
  for (const text of [before, after, tail]) out.text16(Buffer.from(text), `${table.name}: ${text.slice(0, 64)}`);
  return out.toBuffer();
}
