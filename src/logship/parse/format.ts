import type { Clock } from './clock.ts';

/** An event's fields under Kolla's names. */
export type Fields = Record<string, string | number>;

/** How a line stands to those before it. */
export const Place = {
  /** It is an event, which none joins. */
  alone: 0,
  /** It begins an event, and ends the one that the same process wrote before. */
  begins: 1,
  /** It belongs to what was written last; where that has ended, it is an event, which none joins. */
  follows: 2,
  /** It belongs to what the same process wrote last, if `resumes` says so too; else it begins an event. */
  resumes: 3,
} as const;
export type Place = (typeof Place)[keyof typeof Place];

/**
 * What a kind of log file looks like. One object a file that is read: it may keep what it found in the last line.
 */
export interface Format {
  readonly name: string;
  /** The process that wrote the line that `place` was last asked for; 0 where lines don't tell. */
  readonly pid: number;
  /** @param last the event that was written last, unless it has ended */
  place(line: string, last: string | undefined): Place;
  /** Whether a line goes on with an event. Asked right after `place` said so. */
  resumes(event: string, line: string): boolean;
  /**
   * An event's own time in milliseconds since the epoch, NaN when it has none.
   * @param nearMs the time of what was read before it, for times without a year
   */
  time(line: string, clock: Clock, nearMs: number): number;
  /** An event's fields, without losing any of its text. Undefined when it is not in this format. */
  parse(text: string): Fields | undefined;
  /** The same as JSON between two texts, for a format that many lines have; undefined where that needs more care. */
  json?(text: string, before: string, after: string): string | undefined;
  /** A traceback, below the first line of an event that has one. */
  stackTrace?(text: string): string | undefined;
}

/** A format whose lines a regular expression tells. */
interface Shape {
  readonly name: string;
  /** First lines of events; the lines behind one belong to it. Without it each line is an event. */
  readonly begins?: RegExp;
  readonly time: Format['time'];
  readonly parse: Format['parse'];
}

export function shaped({ name, begins, time, parse }: Shape): Format {
  const place: Format['place'] =
    begins === undefined ? () => Place.alone : (line) => (begins.test(line) ? Place.begins : Place.follows);
  return { name, pid: 0, place, resumes: () => false, time, parse };
}

/** The named groups that took part, in their order. Undefined where the expression does not match. */
export function groupsOf(expression: RegExp, text: string): Record<string, string> | undefined {
  const groups = expression.exec(text)?.groups;
  if (groups === undefined) return undefined;
  return Object.fromEntries(Object.entries(groups).filter(([, value]) => value !== undefined));
}

/** An event, read. */
export interface Reading {
  readonly text: string;
  /** It has a time of its own. */
  readonly isDated: boolean;
}

/** How documents look. */
export interface Schema {
  /** The format as events are made with it. */
  readonly format: Format;
  /** The JSON of a document. @param time its `@timestamp` */
  document(event: Reading, time: string): string;
}

const REQUEST = /^(?<method>[!-~]+) (?<path>\S+)(?: (?<protocol>HTTP\/\d(?:\.\d)?))?$/;

/** The parts of a request line, or the whole where it is none. */
export function requestFields(request: string): Fields {
  return { ...(REQUEST.exec(request)?.groups ?? { request }) };
}
