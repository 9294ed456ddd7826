import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Progress, type Span } from '../../../src/logship/position/progress.ts';

const mark = (offset: number) => ({ offset, skipping: false, timeMs: 0 });

test('only bytes acknowledged without a gap count', () => {
  const progress = new Progress(mark(0));
  const [first, second] = [progress.begin(0, mark(20)), progress.begin(20, mark(30))];
  assert.equal(progress.settle(second), false);
  assert.equal(progress.acknowledged.offset, 0, 'the first is still open');
  assert.equal(progress.settle(first), true);
  assert.equal(progress.acknowledged.offset, 30);
  assert.equal(progress.isOpen, false);
});

test('the mark is never inside an event, even if others interleave with it', () => {
  const progress = new Progress(mark(0));
  const spanning = progress.begin(0, mark(10));
  const between = progress.begin(10, mark(20));
  spanning.end = mark(30);
  const after = progress.begin(30, mark(40));
  progress.settle(between);
  assert.equal(progress.acknowledged.offset, 0);
  progress.settle(spanning);
  assert.equal(progress.acknowledged.offset, 30);
  progress.settle(after);
  assert.equal(progress.acknowledged.offset, 40);
});

test('a settled event is read again while one that started inside it is open', () => {
  const progress = new Progress(mark(0));
  const spanning = progress.begin(0, mark(30));
  const inside = progress.begin(10, mark(50));
  progress.settle(spanning);
  assert.equal(progress.acknowledged.offset, 0);
  progress.settle(inside);
  assert.equal(progress.acknowledged.offset, 50);
});

test('many events settled in any order move the mark to the end', () => {
  const progress = new Progress(mark(0));
  const spans = Array.from({ length: 10_000 }, (_, n) => progress.begin(n * 10, mark(n * 10 + 10)));
  for (const span of spans.toReversed().slice(0, 5000)) progress.settle(span);
  assert.equal(progress.acknowledged.offset, 0);
  for (const span of spans.slice(0, 5000)) progress.settle(span);
  assert.equal(progress.acknowledged.offset, 100_000);
});

test('adjacent spans of a request are merged in any order, and settled when all their events are', () => {
  const progress = new Progress(mark(0));
  const spans = [progress.begin(0, mark(10)), progress.begin(10, mark(20)), progress.begin(20, mark(30))];
  const [first, second, third] = spans as [Span, Span, Span];
  for (const span of [third, first, second]) span.isFilled = true;
  progress.merge();
  assert.deepEqual([first.into, second.into, third.into], [undefined, first, first]);
  assert.equal(progress.kept, 1);
  assert.equal(progress.settle(first), false);
  assert.equal(progress.settle(first), false);
  assert.equal(progress.acknowledged.offset, 0);
  assert.equal(progress.settle(first), true);
  assert.equal(progress.acknowledged.offset, 30);
  assert.equal(progress.isOpen, false);
});

test('an event between merged spans still holds the mark', () => {
  const progress = new Progress(mark(0));
  const spanning = progress.begin(0, mark(10));
  const between = progress.begin(10, mark(20));
  spanning.end = mark(30);
  const after = progress.begin(30, mark(40));
  const newest = progress.begin(40, mark(50));
  for (const span of [spanning, after, newest]) span.isFilled = true;
  progress.merge();
  assert.deepEqual([spanning.into, between.into, newest.into], [undefined, undefined, after]);
  for (const span of [spanning, after, after]) progress.settle(span);
  assert.equal(progress.acknowledged.offset, 0);
  progress.settle(between);
  assert.equal(progress.acknowledged.offset, 50);
});

test('spans are not merged across a gap, with an open event, or with another request', () => {
  const progress = new Progress(mark(0));
  const [first, second] = [progress.begin(0, mark(10)), progress.begin(10, mark(20))];
  const behindGap = progress.begin(30, mark(40));
  const [open, last] = [progress.begin(40, mark(50)), progress.begin(50, mark(60))];
  first.isFilled = true;
  progress.merge();
  for (const span of [second, behindGap, last]) span.isFilled = true;
  progress.merge();
  for (const span of [first, second, behindGap, open, last]) assert.equal(span.into, undefined);
  assert.equal(progress.kept, 5);
});

test('an open event does not keep all later ones in memory, and the mark eventually passes them', () => {
  const progress = new Progress(mark(0));
  const stuck = progress.begin(0, mark(10));
  const later = progress.begin(10, mark(20));
  for (let n = 2; n < 100_000; n++) {
    progress.settle(progress.begin(n * 10, mark(n * 10 + 10)));
    if (n % 1000 === 0) progress.merge();
  }
  assert.ok(progress.kept < 2000, `${progress.kept} are kept`);
  progress.settle(stuck);
  assert.equal(progress.acknowledged.offset, 10);
  progress.settle(later);
  assert.equal(progress.acknowledged.offset, 1_000_000);
  assert.equal(progress.isOpen, false);
});

test('merged or not, the mark is never inside an open event', () => {
  const progress = new Progress(mark(0));
  const stuck = progress.begin(0, mark(10));
  const open = new Map<number, Span>();
  for (let n = 1; n < 50_000; n++) {
    // One event in a hundred continues after the next three.
    const span = progress.begin(n * 10, mark(n * 10 + (n % 100 === 0 ? 40 : 10)));
    if (n % 1000 === 0) open.set(n * 10, span);
    else progress.settle(span);
    if (n % 1500 === 0) progress.merge();
  }
  progress.settle(stuck);
  for (const [start, span] of open) {
    assert.ok(progress.acknowledged.offset <= start, `${progress.acknowledged.offset} behind ${start}`);
    progress.settle(span);
  }
  assert.equal(progress.acknowledged.offset, 500_000);
});

test('an event joins the one before it in the request, also behind the next event that has begun', () => {
  const progress = new Progress(mark(0));
  const [first, second, next] = [
    progress.begin(0, mark(10)),
    progress.begin(10, mark(20)),
    progress.begin(20, mark(30)),
  ];
  for (const span of [first, second]) span.isFilled = true;
  assert.equal(progress.join(first, second), true);
  assert.equal(progress.kept, 2);
  progress.settle(first);
  assert.equal(progress.acknowledged.offset, 0);
  progress.settle(first);
  assert.equal(progress.acknowledged.offset, 20);
  progress.settle(next);
  assert.equal(progress.acknowledged.offset, 30);
});

test('an event does not join one with a line of another event in between, or of an earlier request', () => {
  const progress = new Progress(mark(0));
  const spanning = progress.begin(0, mark(10));
  progress.begin(10, mark(20));
  spanning.end = mark(30);
  const after = progress.begin(30, mark(40));
  for (const span of [spanning, after]) span.isFilled = true;
  assert.equal(progress.join(spanning, after), false);
  progress.merge();
  const last = progress.begin(40, mark(50));
  last.isFilled = true;
  assert.equal(progress.join(after, last), false);
  assert.equal(progress.kept, 4);
});
