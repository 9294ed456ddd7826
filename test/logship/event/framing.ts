import type { LogEvent } from '../../../src/logship/event/event.ts';
import type { SharedMemory } from '../../../src/logship/wasm/memory.ts';
import { Framer } from '../../../src/logship/event/framer.ts';
import { EventParser } from '../../../src/logship/parse/document.ts';
import type { FormatName } from '../../../src/logship/parse/formats.ts';
import { zoneNamed } from '../../../src/logship/time/zone.ts';
import type { Content } from '../../../src/logship/read/contents.ts';
import { Generation } from '../../../src/logship/position/generation.ts';
import { UndatedTimes } from '../../../src/logship/position/undated.ts';
import { Progress, type Cut, type Mark } from '../../../src/logship/position/progress.ts';
import { Trail } from '../../../src/logship/position/trail.ts';

const START: Mark = { offset: 0, skipping: false, timeMs: 0 };

/** A generation whose lines come from the test. */
export function content(
  format: FormatName,
  options: {
    ino?: number;
    mark?: Mark;
    cuts?: readonly Cut[];
    path?: string;
    isNew?: boolean;
    memory?: SharedMemory | undefined;
    zone?: string;
  } = {},
): Content {
  const { ino = 1, mark = START, cuts = [], path = '/logs/svc/a.log', isNew = true, memory, zone = 'UTC' } = options;
  const origin = { hostname: 'h', pod: undefined, namespace: undefined, node: undefined };
  const formats = [{ glob: '/**', format }];
  return {
    generation: new Generation('s', { path, dev: 1, ino, firstSeenMs: 0, head: Buffer.from(`${ino}\n`), rivals: [] }),
    progress: new Progress(mark),
    parser: new EventParser(path, { root: '/logs', origin, zone: zoneNamed(zone), formats, memory }),
    cuts: cuts.map((cut) => ({ ...cut, ...(cut.onto === undefined ? {} : { onto: { ...cut.onto } }) })),
    isNew,
    sentTo: 0,
    undated: new UndatedTimes(0, { from: [], size: 0 }, () => {}),
    timeMs: mark.timeMs,
    modifiedMs: -1,
    size: 0,
    trail: new Trail(),
  };
}

const BUFFER_BYTES = 4096;

/** Passes lines to a framer from a buffer that each read overwrites, as the reader does. */
export class Chunks {
  readonly #framer: Framer;
  readonly #buffer: Buffer;
  #content: Content | undefined;
  #length = 0;

  constructor(framer: Framer, memory: SharedMemory | undefined) {
    this.#framer = framer;
    this.#buffer = memory?.readBuffer(BUFFER_BYTES) ?? Buffer.alloc(BUFFER_BYTES);
  }

  /** The line without its newline. */
  take(to: Content, line: string, offset: number, next: number): void {
    if (to !== this.#content || this.#length + Buffer.byteLength(line) > BUFFER_BYTES) this.read();
    this.#content = to;
    const start = this.#length;
    this.#length += this.#buffer.write(line, start);
    this.#framer.take(to, this.#buffer.subarray(start, this.#length), offset, next, false);
  }

  /** Simulates another read. */
  read(): void {
    this.#framer.keep();
    this.#buffer.fill('?');
    this.#length = 0;
  }
}

/** A framer that records its events, with a clock that the test moves. */
export function framing({ timeoutMs = 1000, memory }: { timeoutMs?: number; memory?: SharedMemory | undefined } = {}) {
  const events: LogEvent[] = [];
  const clock = { ms: 1_000_000 };
  let held = 0;
  const framer = new Framer({
    emit: (event) => void events.push({ ...event, text: event.text, spans: event.spans }),
    held: { take: (bytes) => void (held += bytes), give: (bytes) => void (held -= bytes) },
    timeoutMs,
    now: () => clock.ms,
    memory,
  });
  const positions = new Map<Content, number>();
  return {
    framer,
    events,
    held: () => held,
    texts: () => events.map(({ text }) => text),
    /** Passes lines, continuing at the last position. */
    take(to: Content, ...lines: string[]) {
      for (const line of lines) {
        const bytes = Buffer.from(line);
        const offset = positions.get(to) ?? to.progress.acknowledged.offset;
        positions.set(to, offset + bytes.length + 1);
        framer.take(to, bytes, offset, offset + bytes.length + 1, false);
      }
    },
    /** Ends a reading round after this time. */
    round(ms = 0) {
      clock.ms += ms;
      framer.sweep();
    },
    /** Rounds without lines, until no event is held. */
    quiet() {
      for (let round = 0; round < 3; round++) {
        clock.ms += timeoutMs + 1000;
        framer.sweep();
      }
    },
  };
}
