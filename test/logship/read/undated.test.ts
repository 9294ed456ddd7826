import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Contents } from '../../../src/logship/read/contents.ts';
import { zoneTableNamed } from '../../../src/logship/time/zone-table.ts';
import { sentBefore, UndatedTimes, type UndatedFrom } from '../../../src/logship/position/undated.ts';

const DAY_MS = 86_400_000;
const FAR_MS = 184 * DAY_MS;
const FIRST_SEEN_MS = Date.UTC(2026, 10, 20, 12);

function times(from: readonly UndatedFrom[] = [], size = 0, savedMs?: number) {
  let entries = 0;
  const undated = new UndatedTimes(FIRST_SEEN_MS, sentBefore({ from, size, savedMs }), () => void entries++);
  return { undated, entries: () => entries };
}

test('a line without a time has the time at which it was read, and each new day is recorded once', () => {
  const { undated, entries } = times();
  const midnight = Date.UTC(2026, 10, 21);
  for (const [offset, ms] of [
    [0, FIRST_SEEN_MS],
    [10, midnight - 1],
    [20, midnight],
    [30, midnight + 5000],
  ] as const)
    assert.equal(undated.timeAt(offset, FIRST_SEEN_MS, ms), ms);
  assert.equal(entries(), 2);
  assert.deepEqual(undated.entries(0), [
    { at: 0, timeMs: FIRST_SEEN_MS, to: 11 },
    { at: 20, timeMs: midnight, to: 31 },
  ]);
  assert.deepEqual(undated.entries(25), [{ at: 20, timeMs: midnight, to: 31 }]);
});

test('a line that was sent before a restart keeps its day, and later lines have the time of reading', () => {
  const midnight = Date.UTC(2026, 10, 21);
  const before = [
    { at: 0, timeMs: FIRST_SEEN_MS, to: 11 },
    { at: 20, timeMs: midnight, to: 31 },
  ];
  const { undated, entries } = times(before, 40);
  const nowMs = midnight + 3 * DAY_MS;
  assert.equal(undated.timeAt(10, FIRST_SEEN_MS, nowMs), FIRST_SEEN_MS);
  assert.equal(undated.timeAt(30, FIRST_SEEN_MS, nowMs), midnight);
  assert.equal(entries(), 0);
  assert.equal(undated.timeAt(40, FIRST_SEEN_MS, nowMs), nowMs);
  assert.equal(entries(), 1);
  assert.equal(undated.timeAt(50, FIRST_SEEN_MS, nowMs + 1), nowMs + 1);
  assert.equal(entries(), 1);
});

test('a line that was written while we did not run has the time of reading if the day was over before', () => {
  const before = [{ at: 0, timeMs: FIRST_SEEN_MS, to: 11 }];
  const midnight = Date.UTC(2026, 10, 21);
  const nowMs = midnight + DAY_MS;
  const timeWith = (savedMs: number | undefined, offset: number) =>
    times(before, 40, savedMs).undated.timeAt(offset, FIRST_SEEN_MS, nowMs);
  assert.equal(timeWith(midnight + 120_000, 10), FIRST_SEEN_MS, 'it was sent');
  assert.equal(timeWith(midnight + 120_000, 20), nowMs);
  // It may have been sent after that, on the same day.
  for (const savedMs of [undefined, FIRST_SEEN_MS + 1000, midnight + 30_000])
    assert.equal(timeWith(savedMs, 20), FIRST_SEEN_MS);
});

test('a line that was sent again on a later day stays in its index after another restart', () => {
  const first = times([{ at: 0, timeMs: FIRST_SEEN_MS, to: 11 }], 40).undated;
  const nowMs = FIRST_SEEN_MS + 2 * DAY_MS;
  assert.equal(first.timeAt(20, FIRST_SEEN_MS, nowMs), FIRST_SEEN_MS);
  const { undated } = times(first.entries(0), 60, nowMs);
  assert.equal(undated.timeAt(20, FIRST_SEEN_MS, nowMs), FIRST_SEEN_MS);
  assert.equal(undated.timeAt(40, FIRST_SEEN_MS, nowMs), nowMs);
});

test("a line with the time of a dated line of a backlog stays in that line's index after a restart", () => {
  const first = times().undated;
  const datedMs = Date.UTC(2026, 9, 1);
  first.dated();
  assert.equal(first.timeAt(10, datedMs, FIRST_SEEN_MS), datedMs);
  const saved = first.entries(0);
  assert.equal(first.timeAt(20, datedMs, FIRST_SEEN_MS), datedMs);
  const { undated } = times(saved, 40, FIRST_SEEN_MS + 1);
  assert.equal(undated.timeAt(20, datedMs, FIRST_SEEN_MS + 5000), datedMs);
});

test('a line before the first recorded one was never sent', () => {
  const { undated } = times([{ at: 20, timeMs: FIRST_SEEN_MS, to: 31 }], 40);
  const nowMs = FIRST_SEEN_MS + DAY_MS;
  assert.equal(undated.timeAt(10, FIRST_SEEN_MS, nowMs), nowMs);
  assert.equal(undated.timeAt(30, FIRST_SEEN_MS, nowMs), FIRST_SEEN_MS);
});

test('a line that is read together with a dated line has its time, as in a backlog, and later lines do not', () => {
  const { undated } = times();
  const datedMs = Date.UTC(2026, 9, 1);
  undated.dated();
  // However long the reading takes.
  assert.equal(undated.timeAt(10, datedMs, FIRST_SEEN_MS + 60_000), datedMs);
  undated.caughtUp();
  assert.equal(undated.timeAt(20, datedMs, FIRST_SEEN_MS + 60_001), FIRST_SEEN_MS + 60_001);
});

test('the time of the last dated line is unknown until there is one', () => {
  const { undated } = times();
  assert.equal(undated.lastMs(FIRST_SEEN_MS), NaN);
  assert.equal(undated.lastMs(5), 5);
});

test('a time counts unless it is far ahead of all that is known of the file', () => {
  const undated = new UndatedTimes(FIRST_SEEN_MS, { from: [] }, () => {});
  assert.equal(undated.believes(NaN, 0, FIRST_SEEN_MS), false);
  assert.equal(undated.believes(0, 0, FIRST_SEEN_MS), true);
  assert.equal(undated.believes(FIRST_SEEN_MS + FAR_MS, 0, 5), true, 'an old log');
  assert.equal(undated.believes(FIRST_SEEN_MS + FAR_MS + 1, 0, 5), false);
  const lastMs = FIRST_SEEN_MS + 90 * DAY_MS;
  assert.equal(undated.believes(lastMs + FAR_MS, 0, lastMs), true);
  assert.equal(undated.believes(lastMs + FAR_MS + 1, 0, lastMs), false);
  // A file that was silent for a year: one line counts as read without a time, and then the others have theirs.
  const nowMs = FIRST_SEEN_MS + 365 * DAY_MS;
  assert.equal(undated.timeAt(100, FIRST_SEEN_MS, nowMs), nowMs);
  assert.equal(undated.believes(nowMs, 100, FIRST_SEEN_MS), false, 'also in a second reading');
  assert.equal(undated.believes(nowMs, 101, FIRST_SEEN_MS), true);
});

test('the last time stays if a line is far behind it, and an old log has its own', () => {
  const undated = new UndatedTimes(FIRST_SEEN_MS, { from: [] }, () => {});
  assert.equal(undated.after(5, FIRST_SEEN_MS), 5);
  assert.equal(undated.after(5, FAR_MS + 5), 5);
  assert.equal(undated.after(5, FAR_MS + 6), FAR_MS + 6);
});

test("a path's next file is read with the last time of the one before, unless that is far ahead", () => {
  const origin = { hostname: 'h', pod: undefined, namespace: undefined, node: undefined };
  const zone = zoneTableNamed('UTC');
  const contents = new Contents({ source: 's', root: '/l', origin, zone, now: () => FIRST_SEEN_MS }, []);
  const begin = (path: string, ino: number) => {
    const [beginning, from] = [Buffer.from(`${ino}\n`), { offset: 0, skipping: false }];
    return contents.begin({ path, dev: 1, ino, beginning, final: false, isRotated: false, from })!;
  };
  const next = (path: string, last: number) => {
    const content = begin(path, 1);
    content.timeMs = last;
    contents.retire(content);
    return begin(path, 2).timeMs;
  };
  assert.equal(next('/l/a.log', FIRST_SEEN_MS - 5), FIRST_SEEN_MS - 5);
  assert.equal(next('/l/b.log', FIRST_SEEN_MS + FAR_MS + 1), FIRST_SEEN_MS);
});
