/**
 * The event loop: timers by time, then descriptors and signals by poll(2). native/main.c calls `turn` whenever no job
 * is pending.
 *
 *   due timers, the earliest first -> immediates, with a non-blocking poll -> poll until the next timer, or indefinitely
 *   -> callbacks of ready descriptors
 *
 * A turn with nothing to wait for ends the process with its exit code, as in Node's loop.
 */
import { done } from './errors.ts';

/**
 * For whom the current callback runs, by which it and all that it starts are attributed: timers, immediates and watches have
 * their creator's. Jobs run in the turn of the callback that has caused them. Undefined: for the process itself.
 */
let owner: object | undefined;

export function currentOwner(): object | undefined {
  return owner;
}

/** For what components share: watches that it starts are the process's. */
export function forProcess(start: () => void): void {
  const before = owner;
  owner = undefined;
  start();
  owner = before;
}

/** Runs in a turn of its own for this owner. */
export function runFor(whose: object | undefined, call: Callback): void {
  immediates.push({ call, owner: whose });
}

/** Called without arguments, so that a promise's resolve gets undefined. */
export type Callback = (...nothing: never[]) => void;

export class Timer {
  held = true;
  readonly owner = owner;
  readonly call: Callback;
  at: number;
  readonly #milliseconds: number;
  /** Period of an interval in milliseconds. */
  readonly every: number | undefined;

  constructor(call: Callback, milliseconds: number, every?: number) {
    this.call = call;
    this.#milliseconds = milliseconds;
    this.at = sys.now(1) + milliseconds;
    this.every = every;
  }

  /** Starts the time anew, unless the timer has run or was cleared. */
  refresh(): this {
    if (timers.has(this)) this.at = sys.now(1) + this.#milliseconds;
    return this;
  }

  /** The timer does not keep the process alive. */
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
/** Immediates that are due in this turn. */
let now: Immediate[] = [];
let isPollDue = false;
interface Watch {
  readonly events: number;
  readonly call: () => void;
  readonly held: boolean;
  readonly owner: object | undefined;
}
const watches = new Map<number, Watch>();
/** Whether the set of descriptors has changed since the last poll. */
let isStale = true;

export function setTimeout(call: Callback, milliseconds = 0): Timer {
  return added(new Timer(call, milliseconds));
}

export function setInterval(call: Callback, milliseconds: number): Timer {
  return added(new Timer(call, milliseconds, milliseconds));
}

function added(timer: Timer): Timer {
  timers.add(timer);
  return timer;
}

export function clearTimeout(timer: Timer | undefined): void {
  if (timer !== undefined) timers.delete(timer);
}

export const clearInterval = clearTimeout;

/** Runs in the next turn; undefined after it was cleared. */
export interface Immediate {
  call: Callback | undefined;
  readonly owner: object | undefined;
}

export function setImmediate(call: Callback): Immediate {
  const immediate = { call, owner };
  immediates.push(immediate);
  return immediate;
}

export function clearImmediate(immediate: Immediate | undefined): void {
  if (immediate !== undefined) immediate.call = undefined;
}

export const POLLIN = 1;
export const POLLOUT = 4;

/**
 * Calls back whenever the descriptor is ready; one callback per descriptor.
 * @param held whether the callback keeps the process alive
 */
export function watch(fd: number, events: number, call: () => void, held = true): void {
  watches.set(fd, { events, call, held, owner });
  isStale = true;
}

export function unwatch(fd: number): void {
  watches.delete(fd);
  isStale = true;
}

const running = new Set<object>();

/** Keeps the process alive without a descriptor until released, such as for a running child. */
export function keep(one: object): void {
  running.add(one);
}

export function letGo(one: object): void {
  running.delete(one);
}

/** @param end called when nothing is left to wait for */
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
    owner = first.owner;
    return first.call();
  }
  if (immediates.length > 0) {
    [now, immediates] = [immediates, now];
    return next();
  }
  if (running.size === 0 && !isHeld()) end();
  // Rounded up, because a turn that starts before its timer is due would only poll again.
  poll(leftMs === Infinity ? FOREVER : Math.ceil(leftMs));
}

/** Of several timers with the same time, the one that was set first. */
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

/**
 * Immediates run one at a time, so that the jobs of one finish before the next, as in Node. Signals are handled between
 * two turns.
 */
function next(): void {
  const { call, owner: whose } = now.shift()!;
  owner = whose;
  isPollDue = now.length === 0;
  call?.();
}

const FOREVER = -1;
const EINTR = -4;

/**
 * The polled descriptors, as struct pollfd: the descriptor, then the requested events and, above them, the returned
 * ones.
 */
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
  let first: Watch | undefined;
  for (const [i, [fd, one]] of polled.entries()) {
    if (rows[2 * i + 1]! >>> 16 === 0) continue;
    // An earlier callback may have closed the descriptor that was polled, and its number may have been reused.
    const call = () => {
      if (watches.get(fd) === one) one.call();
    };
    // One owner a turn: the jobs that follow are its.
    first ??= one;
    if (one.owner !== first.owner) now.push({ call, owner: one.owner });
    else {
      owner = one.owner;
      call();
    }
  }
}
