import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newCounts } from '../../src/logship/report/counts.ts';
import { viewOf, type PipelineState, type ShippingView } from '../../src/logship/report/view.ts';
import { metricsText } from '../../src/net/prometheus.ts';
import { healthOf } from '../../src/probe/serve/part.ts';
import { ShippingShown } from '../../src/sidecar/components/log-ship.ts';
import { runHelper } from '../support/helper.ts';

const state = (other: Partial<PipelineState> = {}): PipelineState => ({
  name: 'elasticsearch-es-9200',
  to: 'elasticsearch at http://es:9200',
  files: 1,
  lagBytes: 0,
  lagSeconds: 0,
  counts: { ...newCounts(), acknowledged: 3 },
  outage: undefined,
  checkpointAgeMs: 0,
  waiting: 0,
  memoryBytes: 0,
  dropped: 0,
  fileStates: () => [],
  ...other,
});
const view = (...states: PipelineState[]) =>
  viewOf(
    () => states,
    () => ({ reclaimed: undefined, syslog: undefined }),
  );

test('a destination that does not accept writes is unhealthy with its reason, and since when', () => {
  let now: ShippingView | undefined = view(state());
  const shown = new ShippingShown(() => now, ['readiness']);
  const [well] = shown.parts();
  assert.equal(well?.state, 'healthy');
  now = view(state({ outage: { reason: 'status 401', sinceMs: Date.now() - 60_000 } }));
  const [bad] = shown.parts();
  assert.deepEqual([bad?.name, bad?.state], ['log-ship/elasticsearch-es-9200', 'unhealthy']);
  assert.match(bad?.reason ?? '', /does not accept writes: status 401/);
  assert.equal(healthOf('readiness', shown.parts()).word, 'unhealthy');
  assert.equal(healthOf('liveness', shown.parts()).word, 'ok');
  assert.equal(shown.parts()[0]?.since, bad?.since, 'it does not begin anew with each question');
});

test('while log-ship does not run, its state is unknown', () => {
  const shown = new ShippingShown(() => undefined, ['readiness']);
  assert.equal(healthOf('readiness', shown.parts()).word, 'waiting');
  assert.deepEqual(shown.families(), []);
});

test('probes of the service do not depend on log-ship, unless requested', () => {
  const shown = new ShippingShown(() => view(state({ outage: { reason: 'x', sinceMs: 0 } })), []);
  assert.equal(healthOf('readiness', shown.parts()).word, 'ok');
});

test('the served metrics are those of kolla-log-ship', () => {
  const shown = new ShippingShown(() => view(state()), []);
  using _ = shown.start();
  assert.match(metricsText(shown.families()), /^kolla_log_ship_acknowledged_total\{to="elasticsearch-es-9200"\} 3$/m);
});

test('a separate port for log-ship is rejected: kolla-sidecar has one', async () => {
  const env = { KOLLA_LOG_SHIP_LISTEN: '9809' };
  const { code, stderr } = await runHelper('kolla-sidecar', ['--component', 'log-ship'], { env });
  assert.equal(code, 64);
  assert.match(stderr, /here the port of kolla-sidecar answers/);
});
