import { inspect } from 'node:util';

/** An open wait of a test. Disposed when it ends. */
export interface OpenWait extends Disposable {
  /** Records the value that was polled last, for the watchdog's report. */
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
 * Registers a wait until it is disposed. Waits have no timeout: the file's watchdog reports open ones.
 * @param explain called only for that report, for diagnostics too expensive to collect on each poll
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

/** Diagnostics of the open waits that have an `explain`. */
export async function explanations(): Promise<string[]> {
  const asked = [...open].flatMap(({ what, explain }) => {
    return explain === undefined ? [] : [explain().then((text) => `${what}: ${text}`, String)];
  });
  return await Promise.all(asked);
}

/** A line per open wait: its label, its age, the number of polls and the last value. */
export function openWaits(): string[] {
  return [...open].map(({ what, since, looks, last }) => {
    const seconds = ((performance.now() - since) / 1000).toFixed(1);
    const text = typeof last === 'string' ? last : inspect(last, { depth: 4, breakLength: Infinity });
    const seen = looks === 0 ? '' : `, looked ${looks} times, saw last: ${text.slice(-2000)}`;
    return `waits for ${what} since ${seconds} s${seen}`;
  });
}
