import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Beat } from '../../src/operator/runtime/beat.ts';

test('nothing is late that moves, or has ended', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const beat = new Beat(1000);
  assert.equal(beat.part().state, 'healthy', 'idle');
  beat.moved('OpenStack cloud');
  beat.moved('OpenStackService nova', 60_000);
  beat.watchMoved('watch of pods');
  now = 1001;
  assert.equal(beat.late(), 'OpenStack cloud has not moved for 1s');
  beat.moved('OpenStack cloud');
  assert.equal(beat.late(), undefined);
  beat.ended('OpenStack cloud');
  now = 61_001;
  assert.equal(beat.part().state, 'unhealthy');
  assert.equal(beat.part().reason, 'OpenStackService nova has not moved for 1m01s');
  beat.ended('OpenStackService nova');
  assert.equal(beat.late(), undefined);
  now = 5 * 60_000 + 1;
  assert.equal(beat.late(), 'watch of pods has not moved for 5m');
});

test('what is late ends everything, and is given up after its grace period', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const beat = new Beat(5000);
  const stop = new AbortController();
  using late = beat.watch(stop.signal, (error) => stop.abort(error), 3000);
  beat.moved('OpenStack cloud');
  t.mock.timers.tick(1000);
  assert.equal(stop.signal.aborted, false);
  now = 5001;
  t.mock.timers.tick(1000);
  const message = 'OpenStack cloud has not moved for 5s; exiting, so that another process can lead';
  assert.equal((stop.signal.reason as Error).message, message);
  t.mock.timers.tick(3000);
  await assert.rejects(late.gaveUp, { name: 'UnavailableError', message });
});

test('what does not end after SIGTERM is given up after its grace period, too', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const stop = new AbortController();
  using late = new Beat(600_000).watch(stop.signal, assert.ifError, 3000);
  stop.abort(new Error('SIGTERM'));
  t.mock.timers.tick(3000);
  await assert.rejects(late.gaveUp, /SIGTERM/);
});
