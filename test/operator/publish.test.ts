import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '../../src/kube/types.ts';
import { Publisher } from '../../src/operator/runtime/publish.ts';
import { recordedLog } from '../support/recorded-log.ts';

const { log } = recordedLog();

test('the note of an Event has at most 1024 bytes, as the API server counts them', async () => {
  const notes: string[] = [];
  const client = {
    request: (_: string, __: string, { note }: { note: string }) => Promise.resolve(notes.push(note)),
  } as unknown as KubeClient;
  const metadata = { name: 'cloud', namespace: 'openstack', uid: 'uid', generation: 1 };
  const object = { metadata, spec: { release: '2026.1', services: {} } };
  const { signal } = new AbortController();
  await new Publisher(client, 'me', log).event(
    'OpenStack',
    object,
    'Warning',
    'HelmFailed',
    '\u2026'.repeat(1000),
    signal,
  );
  assert.ok(Buffer.byteLength(notes[0] ?? '') <= 1024);
  assert.match(notes[0] ?? '', /^\u2026+\.\.\.$/);
});
