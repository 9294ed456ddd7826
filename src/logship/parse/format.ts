import type { Clock } from '../time/clock.ts';

/** The fields of an event under Kolla's names. */
export type Fields = Record<string, string | number>;

/** How a line relates to the lines before it. */
export const LineRole = {
  /** A complete event, which no other line joins. */
  alone: 0,
  /** Starts an event, and ends the previous one of the same process. */
  begins: 1,
  /** Belongs to the last event in the file. If that event has ended, the line is an event that no other line joins. */
  follows: 2,
  /** Belongs to the last event of the same process if `resumes` confirms it; otherwise it starts an event. */
  resumes: 3,
} as const;
export type LineRole = (typeof LineRole)[keyof typeof LineRole];

/** The format of one kind of log file. Each file has its own object, which may cache data of the last line. */
export interface Format {
  readonly name: string;
  /** ID of the process that wrote the last line passed to `place`; 0 if lines of this format name no process. */
  readonly pid: number;
  /** @param last the last event in the file, unless it has ended */
  place(line: string, last: string | undefined): LineRole;
  /** Whether a line continues an event. Called right after `place` returned `resumes`. */
  resumes(event: string, line: string): boolean;
  /**
   * An event's timestamp in milliseconds since the epoch, NaN if it has none.
   * @param nearMs time of the previous line, for timestamps without a year
   */
  time(line: string, clock: Clock, nearMs: number): number;
  /** The fields of an event, from its whole text. Undefined if the event does not match the format. */
  parse(text: string): Fields | undefined;
  /**
   * Fast path for a frequent format: the event's JSON between `before` and `after`. Undefined if the slow path is
   * needed.
   */
  json?(text: string, before: string, after: string): string | undefined;
  /** The traceback after the first line of an event, if it has one. */
  stackTrace?(text: string): string | undefined;
}

/** A format defined by regular expressions. */
interface Shape {
  readonly name: string;
  /**
   * Matches the first line of an event; other lines belong to that event. Without this expression, each line is an
   * event.
   */
  readonly begins?: RegExp;
  readonly time: Format['time'];
  readonly parse: Format['parse'];
}

export function shaped({ name, begins, time, parse }: Shape): Format {
  const place: Format['place'] =
    begins === undefined ? () => LineRole.alone : (line) => (begins.test(line) ? LineRole.begins : LineRole.follows);
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
  /** Whether the event has its own timestamp. */
  readonly isDated: boolean;
}

/** The field names and the layout of documents. */
export interface Schema {
  /** The format from which events are built. */
  readonly format: Format;
  /** The text that follows the fields of the line in each document, if it is always the same. */
  readonly tail?: string;
  /** The JSON of a document. @param time its `@timestamp` */
  document(event: Reading, time: string): string;
}

const REQUEST = /^(?<method>[!-~]+) (?<path>\S+)(?: (?<protocol>HTTP\/\d(?:\.\d)?))?$/;

/** The parts of a request line, or the whole line if it is malformed. */
export function requestFields(request: string): Fields {
  return { ...(REQUEST.exec(request)?.groups ?? { request }) };
}
