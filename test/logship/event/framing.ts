import type { LogEvent } from '../../../src/logship/event/event.ts';
import { Framer } from '../../../src/logship/event/framer.ts';
import { FileFormat } from '../../../src/logship/formats/parser.ts';
import type { FormatName } from '../../../src/logship/formats/index.ts';
import { zoneTableNamed, type ZoneTable } from '../../../src/logship/time/zone-table.ts';
import type { Content } from '../../../src/logship/read/content.ts';
import { Generation, HEAD_BYTES } from '../../../src/logship/position/generation.ts';
import { UndatedTimes } from '../../../src/logship/position/undated.ts';
import { Progress, type Cut, type Mark } from '../../../src/logship/position/progress.ts';
import { Trail } from '../../../src/logship/position/trail.ts';

/** Number of contents so far. */
let nth = 0;
/** When all files were first seen. */
export const SEEN_MS = Date.UTC(2026, 10, 20);
const START: Mark = { offset: 0, skipping: false, timeMs: SEEN_MS };

export function zone(name = 'UTC'): ZoneTable {
  return zoneTableNamed(name);
}

/** A generation whose lines come from the test. */
export function content(
  format: FormatName,
  options: {
    ino?: number;
    mark?: Mark;
    cuts?: readonly Cut[];
    path?: string;
    isNew?: boolean;
    zone?: string;
  } = {},
): Content {
  const { ino = 1, mark = START, cuts = [], path = '/logs/svc/a.log', isNew = true, zone: name } = options;
  const origin = { hostname: 'h', pod: undefined, namespace: undefined, node: undefined };
  const formats = [{ glob: '/**', format }];
  return {
    generation: new Generation('s', {
      path,
      dev: 1,
      ino,
      firstSeenMs: SEEN_MS,
      head: Buffer.from(`${ino}\n`),
      rivals: [],
    }),
    progress: new Progress(mark),
    format: new FileFormat(path, { root: '/logs', origin, zone: zone(name), formats }),
    cuts: cuts.map((cut) => ({ ...cut, ...(cut.onto === undefined ? {} : { onto: { ...cut.onto } }) })),
    isNew,
    sentTo: 0,
    undated: new UndatedTimes(SEEN_MS, { from: [] }, () => {}),
    timeMs: mark.timeMs,
    modifiedMs: -1,
    size: 0,
    trail: new Trail(),
    nth: nth++,
  };
}

/**
 * Passes complete lines on as the reader does, in bulk as far as the framer takes them so.
 * @param position of the chunk in its generation
 * @param from lines before this offset are skipped
 */
export function takeMany(framer: Framer, to: Content, chunk: Buffer, position: number, from: number): void {
  const { take } = framer;
  for (let at = 0; ;) {
    if (take.many !== undefined && position + at >= Math.max(from, HEAD_BYTES))
      at = take.many(to, chunk, position, at, chunk.length).at;
    const end = chunk.indexOf('\n', at);
    if (end === -1) return;
    if (position + at >= from) take(to, chunk, position + at, position + end + 1, false, at, end);
    at = end + 1;
  }
}

/** A framer that records its events, with a clock that the test moves. */
export function framing({ timeoutMs = 1000 }: { timeoutMs?: number } = {}) {
  const events: LogEvent[] = [];
  const clock = { ms: 1_000_000 };
  let held = 0;
  const framer = new Framer({
    emit: (event) => void events.push(event),
    held: { take: (bytes) => void (held += bytes), give: (bytes) => void (held -= bytes) },
    timeoutMs,
    now: () => clock.ms,
  });
  const positions = new Map<Content, number>();
  return {
    framer,
    events,
    clock,
    held: () => held,
    texts: () => events.map(({ text }) => text.toString()),
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
