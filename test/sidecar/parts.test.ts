import assert from 'node:assert/strict';
import { test } from 'node:test';
import { healthOf } from '../../src/probe/serve/part.ts';
import { partsOfComponents } from '../../src/sidecar/parts.ts';
import type { ComponentState, ComponentStatus } from '../../src/sidecar/status/document.ts';
import { Samples } from '../../src/sidecar/status/samples.ts';

const WORDS: readonly (readonly [ComponentState, boolean, string, string, string])[] = [
  ['starting', true, 'waiting', 'ok', 'waiting'],
  ['running', true, 'waiting', 'ok', 'waiting'],
  ['done', true, 'ok', 'ok', 'ok'],
  ['failing', true, 'unhealthy', 'ok', 'unhealthy'],
  ['stuck', true, 'unhealthy', 'unhealthy', 'unhealthy'],
  ['running', false, 'ok', 'ok', 'ok'],
  ['failing', false, 'ok', 'ok', 'ok'],
  ['stuck', false, 'ok', 'unhealthy', 'ok'],
];

for (const [state, holdsStartup, startup, liveness, readiness] of WORDS)
  test(`a component that is ${state} and ${holdsStartup ? 'blocks startup' : 'blocks nothing'}: ${startup}, ${liveness}, ${readiness}`, () => {
    const parts = partsOfComponents([component(state, holdsStartup)]);
    const words = (['startup', 'liveness', 'readiness'] as const).map((probe) => healthOf(probe, parts).word);
    assert.deepEqual(words, [startup, liveness, readiness]);
  });

test('a reason has the state and the last problem', () => {
  const [part] = partsOfComponents([{ ...component('failing', false), problem: 'disk full' }]);
  assert.equal(part?.reason, 'failing: disk full');
  const [again] = partsOfComponents([{ ...component('running', false), problem: 'disk full' }]);
  assert.equal(again?.reason, 'running again; it had failed: disk full');
});

test('the rate is lines per second since the last sample, never negative, and five minutes are kept', () => {
  let lines = 100;
  const samples = new Samples(() => ({ lag: 7, lines }), 2000);
  samples.take();
  lines = 300;
  samples.take();
  lines = 0; // a new attempt starts a new count
  samples.take();
  assert.deepEqual(samples.now().rate, [50, 100, 0]);
  assert.equal(samples.now().lagBytes, 7);
  for (let i = 0; i < 200; i++) samples.take();
  assert.equal(samples.now().lag.length, 150);
});

function component(state: ComponentState, holdsStartup: boolean): ComponentStatus {
  return { name: 'waits', state, since: 0, holdsStartup, starts: 1, failures: 0, problem: null, retryAt: null };
}
