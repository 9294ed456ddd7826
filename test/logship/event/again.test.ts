import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedMemory } from '../../../src/logship/wasm/memory.ts';
import type { LogEvent } from '../../../src/logship/event/event.ts';
import { Framer } from '../../../src/logship/event/framer.ts';
import type { FormatName } from '../../../src/logship/parse/formats.ts';
import type { Cut, Mark } from '../../../src/logship/position/progress.ts';
import { numbersFrom } from '../../support/random.ts';
import { Chunks, content } from './framing.ts';

type Random = ReturnType<typeof numbersFrom>;

const WRITERS = {
  /** Four workers at two times, so that tracebacks interleave, continue late and meet others of the same worker. */
  oslo(random: Random, nth: number) {
    const head = `2026-11-20 08:15:42.${100 + random(2)} ${1 + random(4)} ERROR nova`;
    return [`${head} [-] #${nth}#`, `${head}   File #${nth}#`, `${head} E: #${nth}#`, `plain #${nth}#`][random(4)]!;
  },
  mariadb: (random: Random, nth: number) =>
    random(3) === 0 ? `2026-11-20  8:15:42 0 [Note] #${nth}#` : `dump #${nth}#`,
  uwsgi: (random: Random, nth: number) =>
    random(4) === 0 ? 'Traceback (most recent call last):' : random(3) === 0 ? `spoke #${nth}#` : `  File #${nth}#`,
} satisfies Partial<Record<FormatName, (random: Random, nth: number) => string>>;

/** The two generations of a path: the rotated one, which its writer may keep open for a while, and its successor. */
const [OLD, CURRENT] = [0, 1];

interface World {
  readonly random: Random;
  readonly format: FormatName;
  /** If undefined, lines are converted to strings at once. */
  readonly memory: SharedMemory | undefined;
  /** All lines that will be written, with their generations. */
  readonly writes: readonly { readonly to: number; readonly line: string }[];
  /** The number of these lines that are on disk. */
  written: number;
  /** The index of the server: the first document with each ID. */
  readonly index: Map<string, string>;
  /** The checkpoint. */
  saved: readonly ({ readonly mark: Mark; readonly cuts: readonly Cut[] } | undefined)[];
}

function newWorld(format: keyof typeof WRITERS, seed: number, memory?: SharedMemory): World {
  const random = numbersFrom(seed);
  const [olds, lates] = [1 + random(30), random(60)];
  const writes = Array.from({ length: olds + lates + 20 }, (_, nth) => {
    const to = nth < olds ? OLD : nth < olds + lates ? random(2) : CURRENT;
    return { to, line: WRITERS[format](random, nth) };
  });
  return { random, format, memory, writes, written: 0, index: new Map(), saved: [] };
}

/** Runs the shipper until it is killed, is stopped or has finished. */
function run(world: World, isLast: boolean, isPressed = false): void {
  const { random, index, format, memory, writes } = world;
  const contents = [OLD, CURRENT].map((at) =>
    content(format, { ino: at + 1, isNew: world.saved[at] === undefined, ...world.saved[at], memory }),
  );
  const starts = contents.map(({ progress }) => progress.acknowledged.offset);
  const positions = [0, 0];
  const queue: { readonly event: LogEvent; readonly text: string }[] = [];
  const clock = { ms: 0 };
  const framer = new Framer({
    // The text is read now, because the event's bytes may be overwritten later.
    emit: (event) => void queue.push({ event, text: event.text }),
    held: { take() {}, give() {} },
    timeoutMs: 1000,
    now: () => clock.ms,
    memory,
  });
  const chunks = new Chunks(framer, memory);
  const begun = contents.map(({ isNew }) => !isNew);
  let saved = 0;
  const toSave = () => framer.cuts + begun.filter(Boolean).length;
  const save = () => {
    world.saved = contents.map(({ progress, cuts }, at) =>
      begun[at] === true ? { mark: progress.acknowledged, cuts: structuredClone(cuts) } : undefined,
    );
    saved = toSave();
  };
  const send = () => {
    if (queue.length > 0 && saved < toSave()) save();
    while (queue.length > 0) {
      const { event, text } = queue.splice(random(queue.length), 1)[0]!;
      const id = `${contents.indexOf(event.content)} ${event.offset}`;
      if (!index.has(id)) index.set(id, text);
      // A kill may happen before the response arrives.
      if (isLast || random(4) > 0) for (const span of event.spans) span.progress.settle(span);
    }
  };
  const give = ({ to, line }: World['writes'][number]) => {
    const bytes = Buffer.from(line);
    const offset = positions[to]!;
    const next = offset + bytes.length + 1;
    positions[to] = next;
    begun[to] = true;
    if (offset >= starts[to]!) chunks.take(contents[to]!, line, offset, next);
    if (memory !== undefined && random(4) === 0) chunks.read();
    if (random(6) === 0) {
      clock.ms += random(3) * 700;
      framer.sweep();
    }
    if (isPressed && random(30) === 0) framer.relieve();
    if (random(3) === 0) send();
    if (random(5) === 0) save();
  };
  // The reader reads the older generation first.
  const there = writes.slice(0, world.written);
  const fates = isLast ? Infinity : random(writes.length * 2);
  let fate = 0;
  for (const write of [...there.filter(({ to }) => to === OLD), ...there.filter(({ to }) => to === CURRENT)]) {
    if (fate++ === fates) return;
    give(write);
  }
  while (world.written < writes.length) {
    if (fate++ === fates) break;
    give(writes[world.written++]!);
  }
  if (!isLast && random(2) === 0) return;
  framer.cut();
  send();
  save();
}

/** Lines that the index lacks or has twice. */
function wrong({ index, writes }: World): string {
  const lines = [...index.values()].flatMap((text) => text.split('\n'));
  const lost = writes.filter(({ line }) => !lines.includes(line)).map(({ line }) => line);
  const twice = lines.filter((line, at) => line.includes('#') && lines.indexOf(line) !== at);
  return [...lost.map((line) => `lost: ${line}`), ...twice.map((line) => `twice: ${line}`)].join('; ');
}

const READINGS = [
  { format: 'oslo', memory: undefined, what: 'oslo' },
  { format: 'oslo', memory: SharedMemory.open(), what: 'oslo from bytes' },
  { format: 'mariadb', memory: undefined, what: 'mariadb' },
  { format: 'uwsgi', memory: undefined, what: 'uwsgi' },
] as const;

for (const { what, format, memory } of READINGS) {
  test(`${what}: killed anywhere and resumed from its checkpoint, each line is indexed once`, () => {
    for (let seed = 1; seed <= 400; seed++) {
      const world = newWorld(format, seed, memory);
      for (let kill = 0; kill < 4; kill++) run(world, false);
      run(world, true);
      assert.equal(wrong(world), '', `seed ${seed}`);
    }
  });
}

/** All events of the lines, and every mark left by acknowledging them one by one, in that order. */
function marksOf(format: FormatName, lines: readonly string[], random: Random) {
  const log = content(format);
  const events: LogEvent[] = [];
  const framer = new Framer({
    emit: (event) => void events.push(event),
    held: { take() {}, give() {} },
    timeoutMs: 1000,
    now: () => 0,
  });
  let offset = 0;
  for (const line of lines) {
    framer.take(log, Buffer.from(line), offset, offset + line.length + 1, false);
    offset += line.length + 1;
  }
  framer.cut();
  const marks = [log.progress.acknowledged];
  const open = [...events];
  while (open.length > 0) {
    const [event] = open.splice(random(open.length), 1) as [LogEvent];
    for (const span of event.spans) span.progress.settle(span);
    marks.push(log.progress.acknowledged);
  }
  return { events, marks };
}

for (const { what, format, memory } of READINGS) {
  test(`${what}: from every mark the same events are found, with the same positions, texts and times`, () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = numbersFrom(seed);
      const lines = Array.from({ length: 60 }, (_, nth) => WRITERS[format](random, nth));
      const { events, marks } = marksOf(format, lines, random);
      const known = new Map(events.map(({ offset, text, timeMs }) => [offset, JSON.stringify([text, timeMs])]));
      for (const mark of new Set(marks)) {
        const again = content(format, { mark, memory });
        const found: Pick<LogEvent, 'offset' | 'text' | 'timeMs'>[] = [];
        const framer = new Framer({
          emit: ({ offset, text, timeMs }) => void found.push({ offset, text, timeMs }),
          held: { take() {}, give() {} },
          timeoutMs: 1000,
          now: () => 0,
          memory,
        });
        const chunks = new Chunks(framer, memory);
        let offset = 0;
        for (const line of lines) {
          if (offset >= mark.offset) chunks.take(again, line, offset, offset + line.length + 1);
          if (random(7) === 0) chunks.read();
          offset += line.length + 1;
        }
        framer.cut();
        const wanted = [...known.keys()].filter((at) => at >= mark.offset).toSorted((a, b) => a - b);
        assert.deepEqual(
          found.map((event) => event.offset).toSorted((a, b) => a - b),
          wanted,
          `seed ${seed}`,
        );
        for (const event of found)
          assert.equal(JSON.stringify([event.text, event.timeMs]), known.get(event.offset), `seed ${seed}`);
      }
    }
  });
}

test('with little memory events are cut differently on each reading: lines may be duplicated, but none is lost', () => {
  for (const format of ['oslo', 'mariadb', 'uwsgi'] as const) {
    for (let seed = 1; seed <= 200; seed++) {
      const world = newWorld(format, seed);
      for (let kill = 0; kill < 4; kill++) run(world, false, true);
      run(world, true, true);
      assert.doesNotMatch(wrong(world), /lost/, `${format}, seed ${seed}`);
    }
  }
});

test("without the checkpoint's cuts the same run would lose lines", () => {
  let lost = 0;
  for (let seed = 1; seed <= 100; seed++) {
    const world = newWorld('mariadb', seed);
    for (let kill = 0; kill < 4; kill++) {
      run(world, false);
      world.saved = world.saved.map((saved) => (saved === undefined ? undefined : { ...saved, cuts: [] }));
    }
    run(world, true);
    if (wrong(world).includes('lost')) lost++;
  }
  assert.ok(lost > 0);
});
