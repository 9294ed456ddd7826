import { inspect } from 'node:util';

/** Something that a test waits for. Disposed at the end of the wait. */
export interface OpenWait extends Disposable {
  /** What the last look saw, for the report of a wait that does not end. */
  saw(value: unknown): void;
}

interface Entry {
  readonly what: string;
  readonly since: number;
  readonly explain: (() => Promise<string>) | undefined;
  looks: number;
  last: unknown;
}

const open = new Set<Entry>();

/**
 * Registers a wait until it is disposed. No wait of a test has a limit of its own: the file's watchdog reports those that
 * are open.
 * @param explain asked by that report alone, for what is too dear to be seen at each look
 */
export function openWait(what: string, explain?: () => Promise<string>): OpenWait {
  const entry: Entry = { what, since: performance.now(), explain, looks: 0, last: undefined };
  open.add(entry);
  return {
    saw(value) {
      entry.looks++;
      entry.last = value;
    },
    [Symbol.dispose]: () => void open.delete(entry),
  };
}

/** Waits for a promise that an event settles, as an open wait. */
export async function waitingFor<T>(what: string, event: Promise<T>, explain?: () => Promise<string>): Promise<T> {
  const wait = openWait(what, explain);
  try {
    return await event;
  } finally {
    wait[Symbol.dispose]();
  }
}

/** What the open waits that were given a way to explain themselves say. */
export async function explanations(): Promise<string[]> {
  const asked = [...open].flatMap(({ what, explain }) => {
    return explain === undefined ? [] : [explain().then((text) => `${what}: ${text}`, String)];
  });
  return await Promise.all(asked);
}

/** A line for each open wait: what is waited for, since when, how often it was looked at, and what was seen last. */
export function openWaits(): string[] {
  return [...open].map(({ what, since, looks, last }) => {
    const seconds = ((performance.now() - since) / 1000).toFixed(1);
    const text = typeof last === 'string' ? last : inspect(last, { depth: 4, breakLength: Infinity });
    const seen = looks === 0 ? '' : `, looked ${looks} times, saw last: ${text.slice(-2000)}`;
    return `waits for ${what} since ${seconds} s${seen}`;
  });
}
