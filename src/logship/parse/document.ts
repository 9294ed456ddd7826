import { osloLines, rawLines, type LineFormat } from '../bytes/line-format.ts';
import type { SharedMemory } from '../wasm/memory.ts';
import { Clock } from '../time/clock.ts';
import { ecsSchema } from './ecs.ts';
import { embeddedTime } from './embedded-time.ts';
import { LineRole, type Format, type Reading, type Schema } from './format.ts';
import { FORMATS, kindOf, type FormatRule } from './formats.ts';
import { kollaSchema } from './kolla.ts';
import type { FileOrigin, Origin } from './schema.ts';
import { Stamp } from '../time/stamp.ts';
import { MAX_DATE_MS, type Zone } from '../time/zone.ts';

/** A parsed event that has no ID yet. */
interface Parsed {
  readonly source: string;
  /** The event's day in UTC: `2026-11-20`. */
  readonly day: string;
}

export interface ParserOptions {
  /** The log root directory. */
  readonly root: string;
  readonly origin: Origin;
  /** The zone for timestamps without one. */
  readonly zone: Zone;
  /** The schema of documents; the default is Kolla's. */
  readonly schema?: SchemaName | undefined;
  readonly formats?: readonly FormatRule[] | undefined;
  /** Converts lines of common formats without creating strings. */
  readonly memory?: SharedMemory | undefined;
}

/** Converts events of one file to the JSON that is indexed. */
export class EventParser {
  readonly format: Format;
  /** The same format on bytes, if it is a common one. */
  readonly lines: LineFormat | undefined;
  readonly #schema: Schema;
  readonly #clock: Clock;
  readonly #stamp = new Stamp();

  constructor(path: string, { root, origin, zone, schema = 'kolla', formats = [], memory }: ParserOptions) {
    const kind = kindOf(path, root, formats);
    this.#schema = SCHEMAS[schema](FORMATS[kind.format](), { ...origin, path, kind });
    this.format = this.#schema.format;
    this.#clock = new Clock(zone);
    const { tail } = this.#schema;
    if (memory === undefined || tail === undefined || kind.format !== 'oslo') return;
    this.lines = (schema === 'raw' ? rawLines : osloLines)(tail, this.#clock, memory);
  }

  /**
   * The timestamp in an event's first line, in milliseconds since the epoch; NaN if there is none.
   * @param lastMs the time of the last dated line before it; NaN if there is none
   */
  timeOf(line: string, nearMs: number, lastMs: number): number {
    this.#clock.lastMs = lastMs;
    const own = this.format.time(line, this.#clock, nearMs);
    // Other programs' lines are in the files of all formats.
    const ms = Number.isNaN(own) ? embeddedTime(line, this.#clock, nearMs) : own;
    return Math.abs(ms) <= MAX_DATE_MS ? ms : NaN;
  }

  parse(event: Reading & { readonly timeMs: number }): Parsed {
    const time = this.#stamp.iso(event.timeMs);
    return { source: this.#schema.document(event, time), day: this.#stamp.day };
  }
}

const SCHEMAS = {
  kolla: kollaSchema,
  ecs: ecsSchema,
  raw: rawSchema,
} as const satisfies Record<string, (format: Format, file: FileOrigin) => Schema>;
type SchemaName = keyof typeof SCHEMAS;

/** Each line becomes a document that is unparsed except for its timestamp. */
function rawSchema(format: Format, { path }: FileOrigin): Schema {
  const tail = `,"log.file.path":${JSON.stringify(path)}}`;
  return {
    tail,
    format: {
      name: format.name,
      pid: 0,
      place: () => LineRole.alone,
      resumes: () => false,
      time: (line, clock, nearMs) => format.time(line, clock, nearMs),
      parse: (text) => ({ Payload: text }),
    },
    document: ({ text }, time) => `{"@timestamp":"${time}","message":${JSON.stringify(text)}${tail}`,
  };
}
