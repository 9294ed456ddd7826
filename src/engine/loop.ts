/**
 * What happens next: timers by their time, then descriptors and signals by poll(2). native/main.c calls `turn` whenever no job is
 * pending.
 *
 *   due timers, the earliest first -> poll until the next one, or for ever -> callbacks of what is ready
 *
 * A turn without anything to wait for ends the process with its exit code, as Node's loop does.
 */
import { done } from './errors.ts';

/** Called without anything: what takes a value, as a promise's resolve does, takes undefined. */
export type Callback = (...nothing: never[]) => void;

export class Timer {
  held = true;
  readonly call: Callback;
  readonly at: number;

  constructor(call: Callback, at: number) {
    this.call = call;
    this.at = at;
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
let immediates: Callback[] = [];
interface Watch {
  readonly events: number;
  readonly call: () => void;
  readonly held: boolean;
}
const watches = new Map<number, Watch>();
/** Whether they have changed since they were polled. */
let isStale = true;

export function setTimeout(call: Callback, milliseconds = 0): Timer {
  const timer = new Timer(call, sys.now(1) + milliseconds);
  timers.add(timer);
  return timer;
}

export function clearTimeout(timer: Timer | undefined): void {
  if (timer !== undefined) timers.delete(timer);
}

export function setImmediate(call: Callback): void {
  immediates.push(call);
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
  const now = immediates;
  if (now.length > 0) {
    immediates = [];
    for (const call of now) call();
    return;
  }
  const next = earliest();
  const leftMs = next === undefined ? Infinity : next.at - sys.now(1);
  if (next !== undefined && leftMs <= 0) {
    timers.delete(next);
    next.call();
    return;
  }
  if (running.size === 0 && !isHeld()) end();
  wait(leftMs);
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

const FOREVER = -1;
const EINTR = -4;

/** What is polled, and struct pollfd of each: the descriptor, then the events asked for and, above them, those found. */
let polled: (readonly [fd: number, one: Watch])[] = [];
let rows = new Int32Array();

function wait(leftMs: number): void {
  // Rounded up: a turn that comes before its timer would only poll again.
  const timeoutMs = leftMs === Infinity ? FOREVER : Math.ceil(leftMs);
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
