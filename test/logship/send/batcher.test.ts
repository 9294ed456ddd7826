import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch, joined } from '../../../src/logship/batch/batch.ts';
import { Batcher } from '../../../src/logship/batch/batcher.ts';
import { Capacity } from '../../../src/logship/batch/limits.ts';
import { content } from '../event/framing.ts';

const opening = (day: string) => `{"create":{"_index":"flog-${day.replaceAll('-', '.')}","_id":"`;

function batcher({ most = 2 ** 20, withIds = true, capacity = new Capacity(most) } = {}) {
  return new Batcher({ opening: withIds ? opening : undefined, capacity, now: () => 7 });
}

const LOG = content('whole');
const DAY = Date.UTC(2026, 10, 20);
let offset = 1000;

/** Adds an event whose document has this payload. */
function add(to: Batcher, payload: string, timeMs = DAY): number {
  offset += 1000;
  return to.add({ content: LOG, offset, timeMs, isDated: true, text: Buffer.from(payload), lines: 1, spans: [] });
}

function payloadsOf(batch: Batch): string[] {
  return Array.from({ length: batch.count }, (_, at) => {
    const source = batch.document(at).toString().trimEnd().split('\n').at(-1)!;
    return (JSON.parse(source) as { readonly Payload: string }).Payload;
  });
}

test('documents are concatenated, each with its index and id', () => {
  const b = batcher();
  add(b, 'a');
  add(b, 'ü€😀', DAY + 86_400_000);
  const batch = b.seal();
  const actions = batch.body
    .toString()
    .split('\n')
    .filter((_, at) => at % 2 === 0);
  assert.match(actions[0]!, /^\{"create":\{"_index":"flog-2026\.11\.20","_id":"[\w-]{12}[0-9a-z]{16}"\}\}$/);
  assert.match(actions[1]!, /^\{"create":\{"_index":"flog-2026\.11\.21"/);
  assert.deepEqual(payloadsOf(batch), ['a', 'ü€😀']);
});

test('documents without ids are JSON lines', () => {
  const b = batcher({ withIds: false });
  add(b, '1');
  add(b, '2');
  const batch = b.seal();
  assert.equal(batch.body.toString().split('\n').length, 3);
  assert.deepEqual(payloadsOf(batch), ['1', '2']);
});

test("the documents' weights add up to the batch's", () => {
  const b = batcher();
  const sum = ['a', 'ü', 'c'].reduce((all, payload) => all + add(b, payload), 0);
  const sealed = b.seal();
  assert.equal(sealed.weight, sum);
  assert.equal(sealed.pick([0]).weight + sealed.pick([1, 2]).weight, sum);
});

test('a request is limited by its bytes, and by its documents', () => {
  const byBytes = batcher({ most: 100_000 });
  add(byBytes, 'x'.repeat(100_000));
  assert.equal(byBytes.isFull, true);
  const byCount = batcher();
  for (let n = 0; n < 1999; n++) add(byCount, '');
  assert.equal(byCount.isFull, false);
  add(byCount, '');
  assert.equal(byCount.isFull, true);
});

test('a target that is lowered while a request is being filled leaves no room in it', () => {
  const capacity = new Capacity();
  const b = batcher({ capacity });
  add(b, 'x'.repeat(900_000));
  capacity.busy();
  const room = { into: Buffer.alloc(0), filled: 0, most: 0, openings: undefined };
  b.room(room);
  assert.ok(room.filled > 900_000);
  assert.equal(room.into.length, room.filled);
  assert.equal(b.isFull, true);
});

test('documents larger than a buffer are whole, between others', () => {
  const b = batcher();
  const payloads = ['1', '€"'.repeat(800_000), '2'];
  for (const payload of payloads) add(b, payload);
  assert.deepEqual(payloadsOf(b.seal()), payloads);
});

test('a reused buffer carries nothing over, and does not affect picked documents', () => {
  const b = batcher();
  const filler = 'f'.repeat(400_000);
  add(b, filler);
  add(b, 'keep');
  const first = b.seal();
  const kept = first.pick([1]);
  b.recycle(first);
  add(b, filler.replaceAll('f', 'g'));
  add(b, 'other');
  const second = b.seal();
  assert.equal(second.body.buffer, first.body.buffer, 'the memory is the same');
  assert.deepEqual(payloadsOf(kept), ['keep']);
  assert.equal(payloadsOf(second)[1], 'other');
});

test('parts and joined batches have the same documents', () => {
  const b = batcher();
  for (const payload of ['0', '1', '2', '3']) add(b, payload);
  const whole = b.seal();
  const swapped = joined(whole.part(2, 4), whole.part(0, 2));
  assert.deepEqual(payloadsOf(swapped), ['2', '3', '0', '1']);
  assert.equal(swapped.part(1, 3).document(0).toString(), whole.document(3).toString());
});

test('a joined batch has the age of the older one, and the higher number of attempts', () => {
  const one = { places: [{ spans: [], count: 1 }], count: 1, linesEach: 1 };
  const batch = (sinceMs: number, tries: number) => new Batch(Buffer.from('{}\n'), { ...one, sinceMs, tries });
  for (const both of [joined(batch(1, 0), batch(2, 3)), joined(batch(2, 3), batch(1, 0))])
    assert.deepEqual([both.sinceMs, both.tries], [1, 3]);
});
