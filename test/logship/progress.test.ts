import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Progress } from '../../src/logship/progress.ts';

const mark = (offset: number) => ({ offset, skipping: false, timeMs: 0 });

function segment(progress: Progress, documents: number, end: number) {
  const made = progress.begin();
  made.left = documents;
  made.end = mark(end);
  return made;
}

test('only what is acknowledged without a gap counts', () => {
  const progress = new Progress(mark(0));
  const [first, second] = [segment(progress, 2, 20), segment(progress, 1, 30)];
  assert.equal(progress.settle(second), false);
  assert.equal(progress.acknowledged.offset, 0, 'the first is still open');
  progress.settle(first);
  assert.equal(progress.acknowledged.offset, 0, 'half of the first is still open');
  assert.equal(progress.settle(first), true);
  assert.equal(progress.acknowledged.offset, 30);
  assert.equal(progress.isOpen, false);
});
