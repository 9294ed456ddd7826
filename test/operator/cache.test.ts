import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '../../src/kube/types.ts';
import { watched } from '../../src/operator/runtime/cache.ts';
import { recordedLog } from '../support/recorded-log.ts';

test('a cache that is never complete holds up no end', { timeout: 10_000 }, async () => {
  const stop = new AbortController();
  const { log } = recordedLog();
  // As a watch of an API server that does not answer.
  async function* watchSet() {
    await new Promise((_, reject) => stop.signal.addEventListener('abort', () => reject(stop.signal.reason as Error)));
    yield { kind: 'connected' };
  }
  const ref = { group: '', version: 'v1', resource: 'secrets', namespace: 'openstack' };
  const client = { watchSet } as unknown as KubeClient;
  const { known, ended } = watched(client, ref, { signal: stop.signal, log, onChange: () => {} });
  stop.abort(new Error('SIGTERM'));
  await ended;
  await known;
  assert.ok(stop.signal.aborted);
});
