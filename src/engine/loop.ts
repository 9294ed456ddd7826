/**
 * What happens next: timers by their time, then descriptors and signals by poll(2). native/main.c calls `turn` whenever no job is
 * pending.
 *
 *   due timers, the earliest first -> what was put off until now, poll in passing -> poll until the next timer, or for ever
 *   -> callbacks of what is ready
 *
 * A turn without anything to wait for ends the process with its exit code, as Node's loop does.
 */
import { done } from './errors.ts';

/** Called without anything: what takes a value, as a promise's resolve does, takes undefined. */
export type Callback = (...nothing: never[]) => void;

export class Timer {
  held = true;
  readonly call: Callback;
  at: number;
  /** Of an interval: the milliseconds from one call to the next. */
  readonly every: number | undefined;

  constructor(call: Callback, at: number, every?: number) {
    this.call = call;
    this.at = at;
    this.every = every;
  }

  /** Does not keep the process. */
  unref(): this {
    this.held = false;
    return this;
  }

  ref(): this {
    this.held = true;
    return this;
  }
}

const timers = new Set<Timer>();
let immediates: Immediate[] = [];
/** Those whose turn it is. */
let now: Immediate[] = [];
let isPollDue = false;
interface Watch {
  readonly events: number;
  readonly call: () => void;
  readonly held: boolean;
}
const watches = new Map<number, Watch>();
/** Whether they have changed since they were polled. */
let isStale = true;

export function setTimeout(call: Callback, milliseconds = 0): Timer {
  return added(new Timer(call, sys.now(1) + milliseconds));
}

export function setInterval(call: Callback, milliseconds: number): Timer {
  return added(new Timer(call, sys.now(1) + milliseconds, milliseconds));
}

function added(timer: Timer): Timer {
  timers.add(timer);
  return timer;
}

export function clearTimeout(timer: Timer | undefined): void {
  if (timer !== undefined) timers.delete(timer);
}

export const clearInterval = clearTimeout;

/** Of a turn; undefined once it is cleared. */
export interface Immediate {
  call: Callback | undefined;
}

export function setImmediate(call: Callback): Immediate {
  const immediate = { call };
  immediates.push(immediate);
  return immediate;
}

export function clearImmediate(immediate: Immediate | undefined): void {
  if (immediate !== undefined) immediate.call = undefined;
}

export const POLLIN = 1;
export const POLLOUT = 4;

/** Calls back each time that the descriptor has something; one callback a descriptor. @param held keeps the process */
export function watch(fd: number, events: number, call: () => void, held = true): void {
  watches.set(fd, { events, call, held });
  isStale = true;
}

export function unwatch(fd: number): void {
  watches.delete(fd);
  isStale = true;
}

const running = new Set<object>();

/** Keeps the process though no descriptor of it does, until it is let go: a child that runs. */
export function keep(one: object): void {
  running.add(one);
}

export function letGo(one: object): void {
  running.delete(one);
}

/** @param end with nothing left to wait for */
export function turn(end: () => never): void {
  if (now.length > 0) return next();
  if (isPollDue) {
    isPollDue = false;
    return poll(0);
  }
  const first = earliest();
  const leftMs = first === undefined ? Infinity : first.at - sys.now(1);
  if (first !== undefined && leftMs <= 0) {
    if (first.every === undefined) timers.delete(first);
    else first.at = sys.now(1) + first.every;
    return first.call();
  }
  if (immediates.length > 0) {
    [now, immediates] = [immediates, now];
    return next();
  }
  if (running.size === 0 && !isHeld()) end();
  // Rounded up: a turn that comes before its timer would only poll again.
  poll(leftMs === Infinity ? FOREVER : Math.ceil(leftMs));
}

/** Of those of the same time the first that was set. */
function earliest(): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer;
  return first;
}

function isHeld(): boolean {
  for (const { held } of watches.values()) if (held) return true;
  for (const { held } of timers) if (held) return true;
  return false;
}

/** One at a time, so that what follows from it comes before the next, as in Node; between two rounds signals are seen. */
function next(): void {
  const { call } = now.shift()!;
  isPollDue = now.length === 0;
  call?.();
}

const FOREVER = -1;
const EINTR = -4;

/** What is polled, and struct pollfd of each: the descriptor, then the events asked for and, above them, those found. */
let polled: (readonly [fd: number, one: Watch])[] = [];
let rows = new Int32Array();

function poll(timeoutMs: number): void {
  if (isStale) {
    polled = [...watches];
    rows = Int32Array.from(polled.flatMap(([fd, { events }]) => [fd, events]));
    isStale = false;
  }
  const found = sys.poll(rows.buffer, timeoutMs);
  if (found === EINTR) return;
  done(found, 'poll');
  for (const [i, [fd, one]] of polled.entries()) {
    // What was found is of the one that was polled: an earlier call may have closed it, and its number be another's by now.
    if (rows[2 * i + 1]! >>> 16 !== 0 && watches.get(fd) === one) one.call();
  }
}
