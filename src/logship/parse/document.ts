import { Clock } from './clock.ts';
import { ecsSchema } from './ecs.ts';
import { Place, type Format, type Reading, type Schema } from './format.ts';
import { FORMATS, kindOf, type FormatRule } from './formats.ts';
import { kollaSchema } from './kolla.ts';
import type { FileOrigin, Origin } from './schema.ts';
import { MAX_DATE_MS, type Zone } from './zone.ts';

/** A parsed event without an id. */
interface Parsed {
  readonly source: string;
  /** The event's day in UTC: `2026-11-20`. */
  readonly day: string;
}

export interface ParserOptions {
  /** The log root. */
  readonly root: string;
  readonly origin: Origin;
  /** For timestamps without a zone. */
  readonly zone: Zone;
  /** Default: Kolla's. */
  readonly schema?: SchemaName | undefined;
  readonly formats?: readonly FormatRule[] | undefined;
}

/** Converts events of one file to the JSON that is indexed. */
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

  /** The timestamp in an event's first line, in milliseconds since the epoch; NaN if there is none. */
  timeOf(line: string, nearMs: number): number {
    const ms = this.format.time(line, this.#clock, nearMs);
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

/** Each line is a document, unparsed except for its timestamp. */
function rawSchema(format: Format, { path }: FileOrigin): Schema {
  const tail = `,"log.file.path":${JSON.stringify(path)}}`;
  return {
    format: {
      name: format.name,
      pid: 0,
      place: () => Place.alone,
      resumes: () => false,
      time: (line, clock, nearMs) => format.time(line, clock, nearMs),
      parse: (text) => ({ Payload: text }),
    },
    document: ({ text }, time) => `{"@timestamp":"${time}","message":${JSON.stringify(text)}${tail}`,
  };
}

const SECOND_MS = 1000;

/** Formats times as ISO 8601. Lines are in order, so each second is formatted once. */
class Stamp {
  #secondMs = NaN;
  /** `2026-11-20T08:15:42.` */
  #second = '';
  #day = '';

  /** `2026-11-20T08:15:42.123Z` */
  iso(ms: number): string {
    const rest = ms - this.#secondMs;
    if (rest >= 0 && rest < SECOND_MS) return this.#second + threeDigits(rest);
    this.#secondMs = Math.floor(ms / SECOND_MS) * SECOND_MS;
    const text = new Date(this.#secondMs).toISOString();
    this.#second = text.slice(0, -4);
    this.#day = text.slice(0, 10);
    return this.#second + threeDigits(ms - this.#secondMs);
  }

  /** The day of the last formatted time: `2026-11-20`. */
  get day(): string {
    return this.#day;
  }
}

function threeDigits(ms: number): string {
  const whole = Math.trunc(ms);
  return `${whole < 100 ? (whole < 10 ? '00' : '0') : ''}${whole}Z`;
}
