import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch, Batcher, joined } from '../../../src/logship/batch/batch.ts';
import { Capacity } from '../../../src/logship/batch/limits.ts';

const opening = (day: string) => `{"create":{"_index":"flog-${day.replaceAll('-', '.')}","_id":"`;

function batcher({ most = 2 ** 20, withIds = true } = {}) {
  return new Batcher({ opening: withIds ? opening : undefined, capacity: new Capacity(most), now: () => 7 });
}

function add(to: Batcher, source: string, day = '2026-11-20', id = 'G0'): number {
  return to.add({ id, day, source, spans: [] });
}

test('documents are concatenated, each with its index and id', () => {
  const b = batcher();
  add(b, '{"a":1}');
  add(b, '{"a":"ü€😀"}', '2026-11-21', 'G1');
  assert.equal(
    b.seal().body.toString(),
    '{"create":{"_index":"flog-2026.11.20","_id":"G0"}}\n{"a":1}\n' +
      '{"create":{"_index":"flog-2026.11.21","_id":"G1"}}\n{"a":"ü€😀"}\n',
  );
});

test('documents without ids are JSON lines', () => {
  const b = batcher({ withIds: false });
  add(b, '{"a":1}');
  add(b, '{"a":2}');
  assert.equal(b.seal().body.toString(), '{"a":1}\n{"a":2}\n');
});

test("the documents' weights add up to the batch's", () => {
  const b = batcher();
  const sum = ['{"a":1}', '{"b":"ü"}', '{"c":3}'].reduce((all, source) => all + add(b, source), 0);
  const sealed = b.seal();
  assert.equal(sealed.weight, sum);
  assert.equal(sealed.pick([0]).weight + sealed.pick([1, 2]).weight, sum);
});

test('a request is limited by its bytes, and by its documents', () => {
  const byBytes = batcher({ most: 100_000 });
  add(byBytes, JSON.stringify('x'.repeat(100_000)));
  assert.equal(byBytes.isFull, true);
  const byCount = batcher();
  for (let n = 0; n < 1999; n++) add(byCount, '{}');
  assert.equal(byCount.isFull, false);
  add(byCount, '{}');
  assert.equal(byCount.isFull, true);
});

test('documents larger than a buffer are whole, between others', () => {
  const b = batcher();
  const huge = JSON.stringify('€'.repeat(1_500_000));
  for (const source of ['{"n":1}', huge, '{"n":2}']) add(b, source);
  const sealed = b.seal();
  assert.deepEqual(
    [0, 1, 2].map((at) => sealed.document(at).toString().split('\n')[1]),
    ['{"n":1}', huge, '{"n":2}'],
  );
});

test('a reused buffer carries nothing over, and does not affect picked documents', () => {
  const b = batcher();
  const filler = JSON.stringify('f'.repeat(400_000));
  add(b, filler);
  add(b, '{"keep":1}');
  const first = b.seal();
  const kept = first.pick([1]);
  b.recycle(first);
  add(b, filler.replaceAll('f', 'g'));
  add(b, '{"other":1}');
  const second = b.seal();
  assert.equal(second.body.buffer, first.body.buffer, 'the memory is the same');
  assert.match(kept.body.toString(), /\{"keep":1\}\n$/);
  assert.match(second.document(1).toString(), /\{"other":1\}\n$/);
});

test('parts and joined batches have the same documents', () => {
  const b = batcher();
  for (const n of [0, 1, 2, 3]) add(b, `{"n":${n}}`);
  const whole = b.seal();
  const swapped = joined(whole.part(2, 4), whole.part(0, 2));
  const sources = [0, 1, 2, 3].map((at) => swapped.document(at).toString().split('\n')[1]);
  assert.deepEqual(sources, ['{"n":2}', '{"n":3}', '{"n":0}', '{"n":1}']);
  assert.equal(swapped.part(1, 3).document(0).toString(), whole.document(3).toString());
});

test('a joined batch has the age of the older one, and the higher number of attempts', () => {
  const batch = (sinceMs: number, tries: number) => new Batch(Buffer.from('{}\n'), [3], [[]], { sinceMs, tries });
  for (const both of [joined(batch(1, 0), batch(2, 3)), joined(batch(2, 3), batch(1, 0))])
    assert.deepEqual([both.sinceMs, both.tries], [1, 3]);
});
