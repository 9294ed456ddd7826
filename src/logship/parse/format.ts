import type { Clock } from './clock.ts';

/** An event's fields under Kolla's names. */
export type Fields = Record<string, string | number>;

/** How a line relates to the previous ones. */
export const Place = {
  /** A complete event that no line joins. */
  alone: 0,
  /** Starts an event, and ends the previous one of the same process. */
  begins: 1,
  /** Belongs to the event written last; if that has ended, it is an event of its own that no line joins. */
  follows: 2,
  /** Belongs to the last event of the same process if `resumes` confirms it; else starts an event. */
  resumes: 3,
} as const;
export type Place = (typeof Place)[keyof typeof Place];

/** The format of a kind of log file. One object per file being read: it may cache data of the last line. */
export interface Format {
  readonly name: string;
  /** The process that wrote the line last passed to `place`; 0 if the format has none. */
  readonly pid: number;
  /**
   * @param last the event written last, unless it has ended
   */
  place(line: string, last: string | undefined): Place;
  /** Whether a line continues an event. Called right after `place` returned `resumes`. */
  resumes(event: string, line: string): boolean;
  /**
   * An event's timestamp in milliseconds since the epoch, NaN if it has none.
   * @param nearMs time of the previous line, for timestamps without a year
   */
  time(line: string, clock: Clock, nearMs: number): number;
  /** An event's fields, with all of its text. Undefined if it does not match the format. */
  parse(text: string): Fields | undefined;
  /** Fast path: the same as JSON between two texts, for a frequent format; undefined if the slow path is needed. */
  json?(text: string, before: string, after: string): string | undefined;
  /** The traceback after the first line of an event, if there is one. */
  stackTrace?(text: string): string | undefined;
}

/** A format defined by regular expressions. */
interface Shape {
  readonly name: string;
  /** Matches the first line of an event; other lines belong to it. Without it each line is an event. */
  readonly begins?: RegExp;
  readonly time: Format['time'];
  readonly parse: Format['parse'];
}

export function shaped({ name, begins, time, parse }: Shape): Format {
  const place: Format['place'] =
    begins === undefined ? () => Place.alone : (line) => (begins.test(line) ? Place.begins : Place.follows);
  return { name, pid: 0, place, resumes: () => false, time, parse };
}

/** The named groups that matched, in order. Undefined if the expression does not match. */
export function groupsOf(expression: RegExp, text: string): Record<string, string> | undefined {
  const groups = expression.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const matched: Record<string, string> = {};
  for (const [name, value] of Object.entries(groups)) if (value !== undefined) matched[name] = value;
  return matched;
}

/** A parsed event. */
export interface Reading {
  readonly text: string;
  /** It has its own timestamp. */
  readonly isDated: boolean;
}

/** Field names and layout of documents. */
export interface Schema {
  /** The format that events are built with. */
  readonly format: Format;
  /** What each document has after its line's fields, if it is the same for all. */
  readonly tail?: string;
  /** The JSON of a document. @param time its `@timestamp` */
  document(event: Reading, time: string): string;
}

const REQUEST = /^(?<method>[!-~]+) (?<path>\S+)(?: (?<protocol>HTTP\/\d(?:\.\d)?))?$/;

/** The parts of a request line, or the whole line if it is malformed. */
export function requestFields(request: string): Fields {
  return { ...(REQUEST.exec(request)?.groups ?? { request }) };
}
