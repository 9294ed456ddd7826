import { isoTime } from './local-time.ts';
import { paint, type Terminal } from './terminal.ts';

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** Fields of a log line. They never contain a secret. */
export type Fields = Readonly<Record<string, unknown>>;

/** Writes log lines on stderr, as JSON or, on a terminal, as text. */
export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** Returns a log that adds these fields to every line. */
  with(fields: Fields): Log;
}

/** The log format of the tool that a helper replaces. */
export type LineFormat = (level: Level, message: string, fields: Fields, now: Date) => string;

export interface LogOptions {
  readonly helper: string;
  readonly level: Level;
  readonly format: 'json' | 'text' | LineFormat;
  readonly terminal: Terminal;
  readonly write: (text: string, level: Level) => void;
  readonly now: () => Date;
}

export function createLog(options: LogOptions, common: Fields = {}): Log {
  const lowest = LEVELS.indexOf(options.level);
  const at =
    (level: Level) =>
    (message: string, fields: Fields = {}) => {
      if (LEVELS.indexOf(level) < lowest) return;
      const all = { ...common, ...fields };
      options.write(lineOf(options, level, message, all), level);
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => createLog(options, { ...common, ...fields }),
  };
}

function lineOf(options: LogOptions, level: Level, message: string, fields: Fields): string {
  const { format, now } = options;
  if (typeof format === 'function') return format(level, message, fields, now());
  return format === 'json' ? jsonLine(options, level, message, fields) : textLine(options, level, message, fields);
}

function jsonLine({ helper, now }: LogOptions, level: Level, msg: string, fields: Fields): string {
  // These come first in the line and last in the assignment, so that no field named `level` can change them.
  const own = { time: isoTime(now()), level, helper, msg };
  return jsonOf({ ...own, ...fields, ...own }, own) + '\n';
}

const LEVEL_STYLE = { debug: 'dim', info: 'green', warn: 'yellow', error: 'red' } as const;

function textLine({ terminal, now }: LogOptions, level: Level, message: string, fields: Fields): string {
  const time = paint(terminal, 'dim', isoTime(now()).slice(11, 23));
  const rest = Object.entries(fields).map(([key, value]) => paint(terminal, 'dim', ` ${key}=${fieldText(value)}`));
  return `${time} ${paint(terminal, LEVEL_STYLE[level], level.padEnd(5))} ${printable(message)}${rest.join('')}\n`;
}

/** Escapes control characters: text from other programs, such as a server's error, must not control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/(?![\n\t])\p{Cc}/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The value as JSON. Never throws, because logging must not. */
function jsonOf(value: unknown, without: object = {}): string {
  try {
    return JSON.stringify(value, (_, v: unknown) =>
      v instanceof Error ? v.message : typeof v === 'bigint' ? `${v}` : v,
    );
  } catch (error) {
    return JSON.stringify({ ...without, unprintable: String(error) });
  }
}

function fieldText(value: unknown): string {
  const text = typeof value === 'string' ? value : (jsonOf(value) ?? 'undefined');
  return printable(/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text));
}
