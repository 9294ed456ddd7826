/** One event: a line followed by `depth` traceback lines. Each line identifies its event. */
export interface Numbered {
  readonly n: number;
  readonly pid: number;
  readonly depth: number;
  readonly timeMs: number;
}

const MODULE = 'nova.compute.manager';
const PROJECT = 'a3f1c09d5b7e4826a3f1c09d5b7e4826';

const START = '2026-11-20 00:00:00.000 7 INFO nova.service [-] Starting compute node';
/**
 * Common first lines of files that must start alike: one short enough for the next line to be part of the file
 * fingerprint, one longer than the fingerprint.
 */
export const BANNERS = { short: `${START} (version 31.0.1)`, long: `${START} ${'=*'.repeat(400)}` };

/** The event's lines without newlines, as oslo.log writes them: each traceback line repeats time, pid and module. */
export function linesOf({ n, pid, depth, timeMs }: Numbered): string[] {
  const time = new Date(timeMs).toISOString().replace('T', ' ').slice(0, 23);
  const level = depth > 0 ? 'ERROR' : 'INFO';
  const request = n.toString(16).padStart(12, '0');
  const first = `${time} ${pid} ${level} ${MODULE} [None req-0b9e6f2a-5c1d-4e8f-a7b3-${request} ${PROJECT} ${PROJECT} - - default default]`;
  const last = depth - 1;
  const below = Array.from({ length: depth }, (_, k) => {
    const text =
      k === 0 ? 'Traceback (most recent call last):' : k === last ? 'ValueError: “no”' : '  File "manager.py"';
    // Nova logs the instance, on each traceback line too.
    const instance = n % 2 === 0 ? '' : '[instance: 5c1d4e8f-a7b3-4f2a-9b1c-0b9e6f2a5c1d] ';
    return `${time} ${pid} ERROR ${MODULE} ${instance}${text} below=${n}.${k}`;
  });
  return [`${first} Port bound “tap-é1” event=${n} depth=${depth}`, ...below];
}

/** The message of a document, parsed. */
export interface Read {
  /** The number; undefined if the message has none. */
  readonly n: number | undefined;
  /** Whether the message starts with the first line of its event. */
  readonly isFirst: boolean;
  /** Whether the message has exactly the lines of its event, in order. */
  readonly isWhole: boolean;
}

/** @param message the message of a document, possibly with the rest of the line prefix */
export function read(message: string): Read {
  const [first, ...others] = [...message.matchAll(/ event=(\d+) depth=(\d+)/g)];
  const below = [...message.matchAll(/ below=(\d+)\.(\d+)/g)];
  if (first === undefined) return { n: below[0] && Number(below[0][1]), isFirst: false, isWhole: false };
  const [, n = '', depth = ''] = first;
  const wanted = Array.from({ length: Number(depth) }, (_, k) => `${n}.${k}`);
  const got = below.map(([, of, k]) => `${of}.${k}`);
  return { n: Number(n), isFirst: true, isWhole: others.length === 0 && got.join() === wanted.join() };
}
