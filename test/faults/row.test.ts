import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf, read } from './numbered.ts';
import { judge } from './row.ts';

const event = (n: number, depth = 0) => linesOf({ n, depth, pid: 7, timeMs: 0 }).join('\n');
const seen = (messages: string[], letters: string[] = []) => {
  const { lost, doubled, torn } = judge('', [{ from: 0, whole: 3, begun: 3 }], messages, letters);
  return { lost, doubled, torn };
};
const ALL = [event(0), event(1, 3), event(2)];

test('accepts a run with each event in one document or dead letter', () => {
  assert.deepEqual(seen(ALL), { lost: 0, doubled: 0, torn: 0 });
  assert.deepEqual(seen(ALL.slice(1), [event(0)]), { lost: 0, doubled: 0, torn: 0 });
});

test('reports missing events as lost and repeated ones as duplicated', () => {
  assert.deepEqual(seen(ALL.slice(1)), { lost: 1, doubled: 0, torn: 0 });
  assert.deepEqual(seen([...ALL, event(2)]), { lost: 0, doubled: 1, torn: 0 });
  assert.deepEqual(seen(ALL, [event(2)]), { lost: 0, doubled: 1, torn: 0 });
});

test('reports a document with missing or foreign lines as torn', () => {
  const cut = event(1, 3).split('\n').slice(0, -1).join('\n');
  assert.deepEqual(seen([event(0), cut, event(2)]), { lost: 0, doubled: 0, torn: 1 });
  const below = event(1, 3).split('\n').at(-1)!;
  assert.deepEqual(seen([event(0), cut, event(2), below]), { lost: 0, doubled: 0, torn: 2 });
  assert.deepEqual(seen([`${event(0)}\n${below}`, cut, event(2)]), { lost: 0, doubled: 0, torn: 2 });
  assert.equal(read(`${event(0)}\n${event(2)}`).isWhole, false);
});

test('accepts any part of an event that a killed writer had started', () => {
  const truths = [
    { from: 0, whole: 1, begun: 2 },
    { from: 2, whole: 3, begun: 3 },
  ];
  for (const messages of [[event(0), event(2)], ALL]) {
    const { written, lost, doubled, torn } = judge('', truths, messages);
    assert.deepEqual({ written, lost, doubled, torn }, { written: 2, lost: 0, doubled: 0, torn: 0 });
  }
});
