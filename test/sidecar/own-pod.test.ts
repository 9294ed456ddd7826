import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireSafePod } from '../../src/sidecar/components/own-pod.ts';
import type { OwnPlace } from '../../src/kube/own-place.ts';
import { ConfigError } from '../../src/core/errors.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import type { KubeClient } from '../../src/kube/types.ts';
import { logLines } from '../support/helper.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { scriptedClient } from '../wait/support.ts';

const NEEDS = { timeout: 60_000, lockTimeout: 60_000, grace: 15_000, port: 9809, holdsBack: true };
const FORMULA = /failureThreshold \* periodSeconds at least 120 s .*terminationGracePeriodSeconds at least 30 /;

function podWith(failureThreshold: number, uid = 'uid-1') {
  const startupProbe = { httpGet: { path: '/startupz', port: 9809 }, periodSeconds: 10, failureThreshold };
  const own = { name: 'db-sync', restartPolicy: 'Always', startupProbe };
  return { metadata: { name: 'me', uid }, spec: { initContainers: [own] } };
}

/** Checks the Pod; returns the error, if there is one, and the warnings. */
async function checked(client: KubeClient | Error | undefined, place: Partial<OwnPlace> = {}) {
  const { log, said } = recordedLog('info');
  const kube = async () => {
    if (client === undefined || client instanceof Error) throw client ?? new Error('no server is asked');
    return client;
  };
  const container = { podUid: 'uid-1', name: 'db-sync' };
  const asked = { podName: 'me', container, isPod: true, kube: client && kube, ...place };
  const { signal } = new AbortController();
  const thrown = await requireSafePod(NEEDS, asked, { signal, log }).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { thrown, warned: logLines(said()).map(({ msg }) => msg) };
}

const clusterWith = (pod: object) => scriptedClient({ objects: { '/api/v1/namespaces/own/pods/me': pod } });

test('a Pod with a long enough startup probe passes silently', async () => {
  assert.deepEqual(await checked(clusterWith(podWith(12))), { thrown: undefined, warned: [] });
});

test('exits with code 65 in a Pod whose startup probe is too short', async () => {
  const { thrown } = await checked(clusterWith(podWith(11)));
  assert.ok(thrown instanceof ConfigError);
  assert.match(thrown.message, /fails after 110 s.*set failureThreshold: 12/);
});

for (const [what, client, place, reason] of [
  ['is not readable', new ApiError(403, 'pods "me" is forbidden'), {}, /is forbidden/],
  ['does not exist under that name', scriptedClient({}), {}, /no \/api\/v1\/namespaces\/own\/pods\/me/],
  ['has another UID', clusterWith(podWith(11, 'uid-2')), {}, /Pod me is another one; set POD_NAME/],
  ['does not identify this container', clusterWith(podWith(11)), { container: undefined }, /which of its containers/],
  ['has no ServiceAccount', undefined, {}, /no ServiceAccount is mounted/],
] as const) {
  test(`a Pod that ${what} causes one warning with the formula, and no exit`, async () => {
    const { thrown, warned } = await checked(client, place);
    assert.equal(thrown, undefined);
    assert.equal(warned.length, 1);
    assert.match(warned[0] ?? '', reason);
    assert.match(warned[0] ?? '', FORMULA);
  });
}

test('without a kubelet nothing is checked or logged', async () => {
  assert.deepEqual(await checked(undefined, { isPod: false }), { thrown: undefined, warned: [] });
});
