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
}

export function unwatch(fd: number): void {
  watches.delete(fd);
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
  const due = [...timers].filter(({ at }) => at <= sys.now(1)).toSorted((a, b) => a.at - b.at)[0];
  if (due !== undefined) {
    if (due.every === undefined) timers.delete(due);
    else due.at = sys.now(1) + due.every;
    return due.call();
  }
  if (immediates.length > 0) {
    [now, immediates] = [immediates, now];
    return next();
  }
  if (running.size === 0 && ![...timers, ...watches.values()].some(({ held }) => held)) end();
  wait();
}

/** One at a time, so that what follows from it comes before the next, as in Node; between two rounds signals are seen. */
function next(): void {
  const { call } = now.shift()!;
  isPollDue = now.length === 0;
  call?.();
}

const FOREVER = -1;

function wait(): void {
  const first = Math.min(...[...timers].map(({ at }) => at));
  // Rounded up: a turn that comes before its timer would only poll again.
  poll(first === Infinity ? FOREVER : Math.max(0, Math.ceil(first - sys.now(1))));
}

function poll(timeoutMs: number): void {
  const rows = Int32Array.from([...watches].flatMap(([fd, { events }]) => [fd, events, 0]));
  const found = sys.poll(rows.buffer, timeoutMs);
  const EINTR = -4;
  if (found !== EINTR) done(found, 'poll');
  for (let at = 0; at < rows.length; at += 3) if (rows[at + 2] !== 0) watches.get(rows[at]!)?.call();
}
