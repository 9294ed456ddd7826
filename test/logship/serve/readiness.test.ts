import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OUTAGE_MS, QUIET_MS, readinessOf } from '../../../src/logship/serve/lag.ts';
import { destination } from './states.ts';

const outage = { reason: 'status 403: cluster_block_exception', sinceMs: 100_000 };
const held = (forMs: number) =>
  readinessOf(destination({ outage, lagBytes: 50, lagSeconds: 12.4 }), 0, outage.sinceMs + forMs);

test('a destination that does not accept writes is not ready, with reason and duration', () => {
  const { isReady, reason } = held(OUTAGE_MS);
  assert.equal(isReady, false);
  assert.equal(
    reason,
    'does not accept writes: status 403: cluster_block_exception; 50 bytes are not acknowledged, the oldest for 12s',
  );
});

test('a destination stays ready during a short outage', () => assert.equal(held(OUTAGE_MS - 1).isReady, true));

test('a clock set back does not hide an outage', () => assert.equal(held(-OUTAGE_MS).isReady, false));

test('a destination that acknowledges nothing for long is not ready, even if it rejects nothing', () => {
  const state = destination({ lagBytes: 50 });
  assert.equal(readinessOf(state, QUIET_MS - 1, 0).isReady, true);
  assert.match(readinessOf(state, QUIET_MS, 0).reason, /^has acknowledged nothing for 1m; 50 bytes/);
});

test('a destination that accepts all but some documents is ready, and reports them', () => {
  const { isReady, reason } = readinessOf(destination({ lagBytes: 5, waiting: 2 }), 0, 0);
  assert.equal(isReady, true);
  assert.match(reason, /2 documents wait that it rejects temporarily/);
});
