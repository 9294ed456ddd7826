import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mark, Progress } from '../../../src/logship/position/progress.ts';
import { Aside } from '../../../src/logship/send/aside.ts';
import { Batch } from '../../../src/logship/batch/batch.ts';

/** A file with one document of that size, which waits. */
function waiting(bytes: number) {
  const progress = new Progress(new Mark(0, false, 0));
  const span = progress.begin(0, new Mark(bytes, false, 0));
  return {
    progress,
    batch: new Batch(Buffer.alloc(bytes), {
      places: [{ spans: [span], count: 1 }],
      count: 1,
      linesEach: 1,
      sinceMs: 0,
    }),
  };
}

test('only files with waiting documents are held, and only while the budget is used up', () => {
  let spent = 0;
  const aside = new Aside(
    () => 2000,
    () => spent++,
  );
  const [a, b, other] = [waiting(1000), waiting(1000), waiting(1)];
  const held = () => [a, b, other].map((file) => aside.holds(file));
  aside.take(a.batch);
  assert.deepEqual(held(), [false, false, false]);
  assert.equal(aside.isHolding, false);
  aside.take(b.batch);
  assert.deepEqual(held(), [true, true, false]);
  assert.equal(aside.isHolding, true);
  aside.begin();
  assert.equal(aside.isHolding, false);
  aside.give(a.batch);
  // A second time, as for a batch that was merged into another.
  aside.give(a.batch);
  assert.deepEqual(held(), [false, false, false]);
  aside.take(a.batch);
  assert.equal(spent, 1);
});

test('a budget that was empty in between reports again that it is used up', () => {
  let spent = 0;
  const aside = new Aside(
    () => 100,
    () => spent++,
  );
  const { batch } = waiting(100);
  for (let nth = 0; nth < 2; nth++) {
    aside.take(batch);
    aside.give(batch);
  }
  assert.equal(spent, 2);
});
