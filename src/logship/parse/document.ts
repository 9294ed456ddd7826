import type { Span } from '../read/progress.ts';
import { Clock } from './clock.ts';
import type { Format, Reading, Schema } from './format.ts';
import { FORMATS, kindOf, type FormatRule } from './formats.ts';
import type { Origin } from './origin.ts';
import { SCHEMAS, type SchemaName } from './schema.ts';
import { Stamp } from './stamp.ts';
import { MAX_DATE_MS, type Zone } from './zone.ts';

export type { Origin } from './origin.ts';

/** One event on its way to the server. */
export interface Document {
  readonly index: string;
  readonly id: string;
  /** JSON, on one line. */
  readonly source: string;
  readonly spans: readonly Span[];
}

/** An event with its fields, before it has an id. */
export interface Parsed {
  readonly source: string;
  /** Of the event, in UTC: `2026-11-20`. */
  readonly day: string;
}

export interface ParserOptions {
  /** The log root. */
  readonly root: string;
  readonly origin: Origin;
  /** Of times that don't tell theirs. */
  readonly zone: Zone;
  /** Kolla's unless given. */
  readonly schema?: SchemaName | undefined;
  readonly formats?: readonly FormatRule[] | undefined;
}

/** From events of one file to the JSON that is indexed. */
export class EventParser {
  readonly format: Format;
  readonly #schema: Schema;
  readonly #clock: Clock;
  readonly #stamp = new Stamp();

  constructor(path: string, { root, origin, zone, schema = 'kolla', formats = [] }: ParserOptions) {
    const kind = kindOf(path, root, formats);
    this.#schema = SCHEMAS[schema](FORMATS[kind.format](), { ...origin, path, kind });
    this.format = this.#schema.format;
    this.#clock = new Clock(zone);
  }

  /** The time in an event's first line, in milliseconds since the epoch; NaN when it has none. */
  timeOf(line: string, nearMs: number): number {
    const ms = this.format.time(line, this.#clock, nearMs);
    return Math.abs(ms) <= MAX_DATE_MS ? ms : NaN;
  }

  parse(event: Reading & { readonly timeMs: number }): Parsed {
    const time = this.#stamp.iso(event.timeMs);
    return { source: this.#schema.document(event, time), day: this.#stamp.day };
  }
}
