import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { range, type Batch } from '../../../src/logship/batch/batch.ts';
import type { Delivered } from '../../../src/logship/send/deliver.ts';
import { Aside } from '../../../src/logship/send/aside.ts';
import { Capacity } from '../../../src/logship/batch/limits.ts';
import { Outbox } from '../../../src/logship/send/outbox.ts';
import { stdoutSink } from '../../../src/logship/sink/sink.ts';
import { batch } from './delivering.ts';

function outbox(send: (batch: Batch) => Promise<Delivered>) {
  const end = new AbortController();
  const failures: unknown[] = [];
  const failed = (error: unknown) => void failures.push(error);
  const capacity = new Capacity();
  return {
    end,
    failures,
    capacity,
    outbox: new Outbox({
      send,
      failed,
      aside: new Aside(
        () => Infinity,
        () => {},
      ),
      capacity,
      stopping: AbortSignal.abort(),
      signal: end.signal,
    }),
  };
}

const DONE = { tookNothing: false };

/** A server that takes every document but those with `stuck`. */
function pickyOutbox() {
  const never = new AbortController().signal;
  let taken = 0;
  const send = (next: Batch): Promise<Delivered> => {
    next.tries++;
    if (next.body.includes('stuck')) return Promise.resolve({ again: next.pick([0]), tookNothing: true });
    taken++;
    return Promise.resolve(DONE);
  };
  const failed = (error: unknown) => assert.fail(String(error));
  const o = new Outbox({
    send,
    failed,
    aside: new Aside(
      () => Infinity,
      () => {},
    ),
    capacity: new Capacity(),
    stopping: never,
    signal: never,
  });
  return { o, taken: () => taken };
}

test('at most two requests are in flight', async () => {
  const open: PromiseWithResolvers<Delivered>[] = [];
  const o = outbox(() => {
    const sent = Promise.withResolvers<Delivered>();
    open.push(sent);
    return sent.promise;
  });
  for (const id of 'abc') o.outbox.offer(batch(id));
  await Promise.resolve();
  assert.equal(open.length, 2);
  assert.equal(o.outbox.isFree, false);
  open[0]!.resolve(DONE);
  await new Promise(setImmediate);
  assert.equal(open.length, 3);
  for (const sent of open) sent.resolve(DONE);
  await o.outbox.idle();
  assert.equal(o.outbox.isFree, true);
});

test('requests overtake an unanswered one by 4 MiB at most', async () => {
  const first = Promise.withResolvers<Delivered>();
  let sent = 0;
  const o = outbox(() => (sent++ === 0 ? first.promise : Promise.resolve(DONE)));
  for (let nth = 0; nth < 10; nth++) o.outbox.offer(batch('x'.repeat(512 * 1024)));
  await new Promise(setImmediate);
  assert.equal(sent, 4);
  assert.equal(o.outbox.isFree, false);
  first.resolve(DONE);
  await o.outbox.idle();
  assert.equal(sent, 10);
});

test('documents that wait separately are counted, and so is their age', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const sent: Batch[] = [];
  const o = outbox((next) => {
    sent.push(next);
    return Promise.resolve(sent.length === 1 ? { again: next.pick([0]), tookNothing: false } : DONE);
  });
  o.outbox.offer(batch('a', 'b'));
  assert.equal(o.outbox.sinceMs, 0);
  await new Promise(setImmediate);
  assert.equal(o.outbox.waiting, 1);
  assert.equal(o.outbox.sinceMs, 0);
  t.mock.timers.runAll();
  await o.outbox.idle();
  assert.equal(sent[1]?.count, 1);
  assert.equal(o.outbox.waiting, 0);
  assert.equal(o.outbox.sinceMs, undefined);
});

test('many documents that the server rejects again do not hold up others', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { o, taken } = pickyOutbox();
  for (let second = 0; second < 120; second++) {
    if (second < 50) o.offer(batch(`stuck ${second}`));
    if (second < 100) o.offer(batch(`fine ${second}`));
    for (let nth = 0; nth < 20; nth++) {
      t.mock.timers.tick(50);
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    }
  }
  assert.equal(o.waiting > 0, true);
  assert.equal(taken(), 100);
});

test('retries of documents that only their index rejects do not use up the turns of others', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { o, taken } = pickyOutbox();
  let offered = 0;
  const turn = async () => {
    t.mock.timers.tick(50);
    for (let nth = 0; nth < 5; nth++) await new Promise(setImmediate);
  };
  for (let nth = 0; nth < 2400; nth++) {
    // As the reader does, which waits for room.
    if (nth % 10 === 0 && o.hasRoom) o.offer(batch(`stuck ${nth}`));
    if (nth % 10 === 5 && o.hasRoom) {
      o.offer(batch(`fine ${nth}`));
      offered++;
    }
    await turn();
  }
  assert.equal(offered, 240);
  assert.equal(taken(), 240);
});

test('documents that wait for their index are sent again together, and none is lost', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const never = new AbortController().signal;
  const ids = new Set<string>();
  let [requests, isOpen, most] = [0, false, 0];
  const send = (next: Batch): Promise<Delivered> => {
    next.tries++;
    requests++;
    if (next.count > 1) most = Math.max(most, next.body.length);
    if (!isOpen) return Promise.resolve({ again: next.pick(range(next)), tookNothing: true });
    for (const at of range(next)) ids.add(String(next.document(at)));
    return Promise.resolve(DONE);
  };
  const capacity = new Capacity();
  const failed = (error: unknown) => assert.fail(String(error));
  const stop = new AbortController();
  const o = new Outbox({
    send,
    failed,
    aside: new Aside(
      () => Infinity,
      () => {},
    ),
    capacity,
    stopping: stop.signal,
    signal: never,
  });
  const turn = async () => {
    t.mock.timers.tick(50);
    for (let nth = 0; nth < 5; nth++) await new Promise(setImmediate);
  };
  let offered = 0;
  for (let nth = 0; nth < 6000; nth++) {
    if (nth % 10 === 0 && o.hasRoom) o.offer(batch(`${offered++} ${'x'.repeat(4000)}`));
    if (nth === 4800) requests = 0;
    await turn();
  }
  // Separately, each of them would have been sent again at least every ten seconds: 6 times in this minute.
  assert.ok(requests < offered, `${requests} requests for ${offered} documents`);
  assert.ok(most <= capacity.bytes, `${most} bytes`);
  isOpen = true;
  stop.abort();
  await turn();
  await o.idle();
  assert.equal(ids.size, offered);
});

test('a failure ends the outbox: it is reported once, and the rest is dropped from memory', async () => {
  const o = outbox(() => Promise.reject(new Error('broken')));
  for (const id of 'abcd') o.outbox.offer(batch(id));
  await o.outbox.idle();
  assert.deepEqual(o.failures.length, 1);
  assert.equal(o.outbox.isFree, false);
  o.outbox.offer(batch('e'));
  await o.outbox.idle();
  assert.equal(o.failures.length, 1);
});

test('an abort while documents wait separately makes the outbox idle immediately', async () => {
  const o = outbox((next) => Promise.resolve({ again: next.pick([0]), tookNothing: false }));
  o.outbox.offer(batch('a', 'b'));
  await new Promise(setImmediate);
  o.end.abort(new Error('grace period exceeded'));
  await o.outbox.idle();
  assert.equal(o.outbox.waiting, 0);
});

test('an overloaded server gets one request at a time, and two again when it keeps up', async () => {
  let [now, most, sent] = [0, 0, 0];
  const o = outbox(async (next) => {
    most = Math.max(most, ++now);
    await new Promise(setImmediate);
    now--;
    if (++sent === 1) o.capacity.busy();
    else o.capacity.taken();
    return sent === 1 ? { again: next, tookNothing: true } : DONE;
  });
  o.outbox.offer(batch('first'));
  await o.outbox.idle();
  assert.equal(most, 1);
  for (let n = 0; n < 10; n++) o.outbox.offer(batch(String(n)));
  await o.outbox.idle();
  assert.equal(most, 1, 'still careful');
  for (let n = 0; n < 20; n++) o.outbox.offer(batch(String(n)));
  await o.outbox.idle();
  assert.equal(most, 2);
  assert.equal(sent, 32);
});

test('stdout gets one request at a time, so that no line overtakes another', async () => {
  await using stdout = stdoutSink(new PassThrough());
  const capacity = new Capacity(undefined, stdout.atOnce);
  capacity.busy();
  for (let n = 0; n < 100; n++) capacity.taken();
  assert.equal(capacity.requests, 1);
});
