import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyUnsafe, type SidecarNeeds, type SidecarPod } from '../../src/sidecar/components/own-probe.ts';

const NEEDS: SidecarNeeds = { timeout: 600_000, lockTimeout: 3_600_000, grace: 15_000, port: 9809, holdsBack: true };
const PROBE = { httpGet: { path: '/startupz', port: 9809 }, periodSeconds: 10, failureThreshold: 420 };
type Container = NonNullable<NonNullable<SidecarPod['spec']>['containers']>[number];

/** A Pod whose sidecar is valid, with overrides. */
function pod(sidecar: Partial<Container> = {}, spec: SidecarPod['spec'] = {}): SidecarPod {
  const own = { name: 'db-sync', restartPolicy: 'Always', startupProbe: PROBE, ...sidecar };
  return { metadata: { name: 'me' }, spec: { initContainers: [own], containers: [{ name: 'api' }], ...spec } };
}

const why = (of: SidecarPod, needs: Partial<SidecarNeeds> = {}) => whyUnsafe(of, 'db-sync', { ...NEEDS, ...needs });

test('a startup probe of exactly the minimum is accepted', () => {
  assert.equal(why(pod()), undefined);
  assert.equal(why(pod({ startupProbe: { ...PROBE, failureThreshold: 419, initialDelaySeconds: 10 } })), undefined);
});

test('a startup probe that fails a second earlier is rejected, with the sum and the value to set', () => {
  const startupProbe = { ...PROBE, failureThreshold: 419, initialDelaySeconds: 9 };
  assert.equal(
    why(pod({ startupProbe })),
    'container db-sync: its startupProbe fails after 4199 s (failureThreshold 419 * periodSeconds 10 + ' +
      'initialDelaySeconds 9), and the kubelet restarts it in the middle of a migration, but --timeout 10m + ' +
      '--lock-timeout 1h is 4200 s: set failureThreshold: 420, and more for the migration itself',
  );
});

test("omitted fields of a probe have Kubernetes' defaults", () => {
  assert.match(why(pod({ startupProbe: { httpGet: PROBE.httpGet } })) ?? '', /fails after 30 s/);
  assert.equal(
    why(pod({ startupProbe: { httpGet: PROBE.httpGet } }), { timeout: 20_000, lockTimeout: 10_000 }),
    undefined,
  );
});

test('a sidecar without a startup probe is rejected: nothing would delay the service', () => {
  const { startupProbe: _, ...own } = pod().spec?.initContainers?.[0] ?? { name: '' };
  const found = whyUnsafe(pod({}, { initContainers: [own] }), 'db-sync', NEEDS);
  assert.match(found ?? '', /no startupProbe.*port: 9809 }, periodSeconds: 10, failureThreshold: 420 }$/);
});

test('a phase that delays nothing needs no startup probe, and a short one is accepted', () => {
  const short = pod({ startupProbe: { ...PROBE, failureThreshold: 1 } });
  assert.equal(why(short, { holdsBack: false }), undefined);
  const none = pod({}, { initContainers: [{ name: 'db-sync', restartPolicy: 'Always' }] });
  assert.equal(why(none, { holdsBack: false }), undefined);
});

test('an init container that would never exit is rejected', () => {
  const plain = pod({}, { initContainers: [{ name: 'db-sync', startupProbe: PROBE }] });
  assert.match(why(plain) ?? '', /no restartPolicy: Always/);
});

test('next to the running service, where nothing is delayed, no startup probe is needed', () => {
  assert.equal(why(pod({}, { initContainers: [], containers: [{ name: 'db-sync' }] })), undefined);
});

for (const [what, httpGet] of [
  ['another path', { path: '/livez', port: 9809 }],
  ['another port', { path: '/startupz', port: 9810 }],
  ['a port that has no such name', { path: '/startupz', port: 'health' }],
  ['TLS', { path: '/startupz', port: 9809, scheme: 'HTTPS' }],
] as const) {
  test(`a startup probe of ${what} is rejected`, () => {
    assert.match(
      why(pod({ startupProbe: { ...PROBE, httpGet } })) ?? '',
      /its startupProbe requests .*: set httpGet: { path: \/startupz, port: 9809 }$/,
    );
  });
}

test('a startup probe may name its port', () => {
  const startupProbe = { ...PROBE, httpGet: { path: '/readyz', port: 'health', scheme: 'HTTP' } };
  assert.equal(why(pod({ startupProbe, ports: [{ name: 'health', containerPort: 9809 }] })), undefined);
});

test('a startup probe that runs a command is not validated', () => {
  assert.equal(why(pod({ startupProbe: { periodSeconds: 10, failureThreshold: 420 } })), undefined);
});

test('a grace period that is too short is rejected, the default one too', () => {
  assert.equal(
    why(pod(), { grace: 15_001 }),
    'container db-sync: terminationGracePeriodSeconds is 30, but --grace 15s + 15s is 31 s: set terminationGracePeriodSeconds: 31',
  );
  assert.equal(why(pod({}, { ...pod().spec, terminationGracePeriodSeconds: 615 }), { grace: 600_000 }), undefined);
});

test("the startup probe's own grace period counts as well", () => {
  const startupProbe = { ...PROBE, terminationGracePeriodSeconds: 1 };
  assert.match(why(pod({ startupProbe })) ?? '', /startupProbe\.terminationGracePeriodSeconds is 1, but .* 30 s/);
});
