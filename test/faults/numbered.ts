/** One event: a line, and below it `depth` lines of a traceback. Each says whose it is. */
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
 * What each file begins with where all shall begin alike: with a first line that leaves room for another one in what a
 * shipper tells them apart by, or with one that is longer.
 */
export const BANNERS = { short: `${START} (version 31.0.1)`, long: `${START} ${'=*'.repeat(400)}` };

/** Its lines without their ends, as oslo.log writes them: of a traceback each has time, pid and module again. */
export function linesOf({ n, pid, depth, timeMs }: Numbered): string[] {
  const time = new Date(timeMs).toISOString().replace('T', ' ').slice(0, 23);
  const level = depth > 0 ? 'ERROR' : 'INFO';
  const request = n.toString(16).padStart(12, '0');
  const first = `${time} ${pid} ${level} ${MODULE} [None req-0b9e6f2a-5c1d-4e8f-a7b3-${request} ${PROJECT} ${PROJECT} - - default default]`;
  const last = depth - 1;
  const below = Array.from({ length: depth }, (_, k) => {
    const text =
      k === 0 ? 'Traceback (most recent call last):' : k === last ? 'ValueError: “no”' : '  File "manager.py"';
    // Nova says which instance it was about, on each line of the traceback too.
    const instance = n % 2 === 0 ? '' : '[instance: 5c1d4e8f-a7b3-4f2a-9b1c-0b9e6f2a5c1d] ';
    return `${time} ${pid} ERROR ${MODULE} ${instance}${text} below=${n}.${k}`;
  });
  return [`${first} Port bound “tap-é1” event=${n} depth=${depth}`, ...below];
}

/** What a document's message tells. */
export interface Read {
  /** Undefined when no number stands in it. */
  readonly n: number | undefined;
  /** Whether it begins with its event's first line. */
  readonly isFirst: boolean;
  /** Whether it has its event's lines in their order, all of them, and no other's. */
  readonly isWhole: boolean;
}

/** @param message one document's, with whatever is left of a line's beginning */
export function read(message: string): Read {
  const [first, ...others] = [...message.matchAll(/ event=(\d+) depth=(\d+)/g)];
  const below = [...message.matchAll(/ below=(\d+)\.(\d+)/g)];
  if (first === undefined) return { n: below[0] && Number(below[0][1]), isFirst: false, isWhole: false };
  const [, n = '', depth = ''] = first;
  const wanted = Array.from({ length: Number(depth) }, (_, k) => `${n}.${k}`);
  const got = below.map(([, of, k]) => `${of}.${k}`);
  return { n: Number(n), isFirst: true, isWhole: others.length === 0 && got.join() === wanted.join() };
}
