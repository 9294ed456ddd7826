import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batcher } from '../../../src/logship/batch/batcher.ts';
import type { Batch } from '../../../src/logship/batch/batch.ts';
import { Budget, Capacity } from '../../../src/logship/batch/limits.ts';
import type { LogEvent } from '../../../src/logship/event/event.ts';
import { Framer } from '../../../src/logship/event/framer.ts';
import type { FormatName } from '../../../src/logship/formats/index.ts';
import type { Cut, Mark } from '../../../src/logship/position/progress.ts';
import { newCounts } from '../../../src/logship/report/counts.ts';
import { Filling } from '../../../src/logship/send/filling.ts';
import { numbersFrom } from '../../support/random.ts';
import { content, takeMany } from './framing.ts';

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
  /** Whether lines of a chunk are taken in bulk. */
  readonly isBulk: boolean;
  /** All lines that will be written, with their generations. */
  readonly writes: readonly { readonly to: number; readonly line: string }[];
  /** The number of these lines that are on disk. */
  written: number;
  /** The index of the server: the first document with each ID, or its payload. */
  readonly index: Map<string, string>;
  /** The checkpoint. */
  saved: readonly ({ readonly mark: Mark; readonly cuts: readonly Cut[] } | undefined)[];
}

function newWorld(format: keyof typeof WRITERS, seed: number, isBulk = false): World {
  const random = numbersFrom(seed);
  const [olds, lates] = [1 + random(30), random(60)];
  const writes = Array.from({ length: olds + lates + 20 }, (_, nth) => {
    const to = nth < olds ? OLD : nth < olds + lates ? random(2) : CURRENT;
    return { to, line: WRITERS[format](random, nth) };
  });
  return { random, format, isBulk, writes, written: 0, index: new Map(), saved: [] };
}

/** Runs the shipper until it is killed, is stopped or has finished. */
function run(world: World, isLast: boolean, isPressed = false): void {
  const { random, index, format, isBulk, writes } = world;
  const contents = [OLD, CURRENT].map((at) =>
    content(format, { ino: at + 1, isNew: world.saved[at] === undefined, ...world.saved[at] }),
  );
  const starts = contents.map(({ progress }) => progress.acknowledged.offset);
  const positions = [0, 0];
  const queue: Batch[] = [];
  const clock = { ms: 0 };
  const batcher = new Batcher({ opening: () => '', capacity: new Capacity(300 + random(2000)), now: () => clock.ms });
  const flush = () => !batcher.isEmpty && queue.push(batcher.seal()) > 0;
  const budget = new Budget(() => Infinity);
  const { emit, bulk } = new Filling({
    batcher,
    budget,
    counts: newCounts(),
    maxLineBytes: 1e6,
    earlier: undefined,
    flush,
    hasRoom: () => random(5) > 0,
  });
  const framer = new Framer({
    emit,
    held: { take() {}, give() {} },
    timeoutMs: 1000,
    now: () => clock.ms,
    bulk: isBulk ? bulk : undefined,
  });
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
    flush();
    if (queue.length > 0 && saved < toSave()) save();
    while (queue.length > 0) {
      const batch = queue.splice(random(queue.length), 1)[0]!;
      for (let at = 0; at < batch.count; at++) {
        const [id = '', source = ''] = batch.document(at).toString().split('\n');
        const text = (JSON.parse(source) as { readonly Payload: string }).Payload;
        if (!index.has(id)) index.set(id, text);
      }
      // A kill may happen before the response arrives.
      if (isLast || random(4) > 0)
        for (const { spans, count } of batch.places) for (const span of spans) span.progress.settle(span, count);
    }
  };
  const give = (lines: World['writes']) => {
    const { to } = lines[0]!;
    const chunk = Buffer.from(lines.map(({ line }) => `${line}\n`).join(''));
    const position = positions[to]!;
    positions[to] = position + chunk.length;
    begun[to] = true;
    takeMany(framer, contents[to]!, chunk, position, starts[to]!);
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
  const old = [...there.filter(({ to }) => to === OLD), ...there.filter(({ to }) => to === CURRENT)];
  for (const chunk of chunksOf(old, isBulk ? random : undefined)) {
    if ((fate += chunk.length) > fates) return;
    give(chunk);
  }
  for (const chunk of chunksOf(writes.slice(world.written), isBulk ? random : undefined)) {
    if ((fate += chunk.length) > fates) break;
    world.written += chunk.length;
    give(chunk);
  }
  if (!isLast && random(2) === 0) return;
  framer.cut();
  send();
  save();
}

/** Lines of one file that are read together; one each without random numbers. */
function chunksOf(writes: World['writes'], random: Random | undefined): World['writes'][] {
  const chunks: World['writes'][number][][] = [];
  for (const write of writes) {
    const last = chunks.at(-1);
    if (random !== undefined && last?.[0]?.to === write.to && random(8) > 0) last.push(write);
    else chunks.push([write]);
  }
  return chunks;
}

/** Lines that the index lacks or has twice. */
function wrong({ index, writes }: World): string {
  const found = [...index.values()].flatMap((text) => text.match(/#\d+#/g) ?? []);
  const written = writes.flatMap(({ line }) => line.match(/#\d+#/g) ?? []);
  const lost = written.filter((line) => !found.includes(line));
  const twice = found.filter((line, at) => found.indexOf(line) !== at);
  return [...lost.map((line) => `lost: ${line}`), ...twice.map((line) => `twice: ${line}`)].join('; ');
}

const FORMATS = ['oslo', 'mariadb', 'uwsgi'] as const;

for (const isBulk of [false, true])
  for (const format of FORMATS) {
    const how = isBulk ? 'in bulk' : 'one by one';
    test(`${format} ${how}: killed anywhere and resumed from its checkpoint, each line is indexed once`, () => {
      for (let seed = 1; seed <= 200; seed++) {
        const world = newWorld(format, seed, isBulk);
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

for (const format of FORMATS) {
  test(`${format}: from every mark the same events are found, with the same positions, texts and times`, () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = numbersFrom(seed);
      const lines = Array.from({ length: 60 }, (_, nth) => WRITERS[format](random, nth));
      const { events, marks } = marksOf(format, lines, random);
      const described = ({ text, timeMs }: LogEvent) => JSON.stringify([text.toString(), timeMs]);
      const known = new Map(events.map((event) => [event.offset, described(event)]));
      for (const mark of new Set(marks)) {
        const again = content(format, { mark });
        const found: LogEvent[] = [];
        const framer = new Framer({
          emit: (event) => void found.push(event),
          held: { take() {}, give() {} },
          timeoutMs: 1000,
          now: () => 0,
        });
        takeMany(framer, again, Buffer.from(lines.map((line) => `${line}\n`).join('')), 0, mark.offset);
        framer.cut();
        const wanted = [...known.keys()].filter((at) => at >= mark.offset).toSorted((a, b) => a - b);
        assert.deepEqual(
          found.map((event) => event.offset).toSorted((a, b) => a - b),
          wanted,
          `seed ${seed}`,
        );
        for (const event of found) assert.equal(described(event), known.get(event.offset), `seed ${seed}`);
      }
    }
  });
}

test('with little memory events are cut differently on each reading: lines may be duplicated, but none is lost', () => {
  for (const format of FORMATS) {
    for (let seed = 1; seed <= 200; seed++) {
      const world = newWorld(format, seed, seed % 2 === 0);
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
