import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bell } from '../../../src/config/watch/bell.ts';

const HOUR_MS = 3_600_000;

test('an event before the wait counts once', async (t) => {
  const bell = new Bell();
  bell.ring();
  bell.ring();
  assert.equal(await bell.wait({ settleMs: 0, idleMs: HOUR_MS, signal: t.signal }), true);
  assert.equal(await bell.wait({ settleMs: 0, idleMs: 1, signal: t.signal }), false);
});

test('continuous events do not block forever', async (t) => {
  const bell = new Bell();
  const ringing = setInterval(() => bell.ring(), 1);
  t.after(() => clearInterval(ringing));
  assert.equal(await bell.wait({ settleMs: 20, idleMs: HOUR_MS, signal: t.signal }), true);
});

test('an event is handled after the debounce interval', async (t) => {
  const bell = new Bell();
  let rings = 0;
  const ringing = setInterval(() => {
    bell.ring();
    if (++rings === 10) clearInterval(ringing);
  }, 5);
  t.after(() => clearInterval(ringing));
  await bell.wait({ settleMs: 500, idleMs: HOUR_MS, signal: t.signal });
  assert.equal(rings, 10);
});

test('shutdown ends the wait with its reason', async () => {
  const stop = new AbortController();
  const waiting = new Bell().wait({ settleMs: 0, idleMs: HOUR_MS, signal: stop.signal });
  stop.abort(new Error('over'));
  await assert.rejects(waiting, /over/);
});
