import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKey, newRing } from '../../../src/provision/keys/ring.ts';
import {
  emptySecret,
  PROMOTED,
  ringIn,
  ringText,
  secretRef,
  withRing,
  type SecretObject,
} from '../../../src/provision/keys/secret.ts';

const REF = secretRef('openstack', 'keystone-fernet-keys');
const AT = Date.parse('2026-01-01T00:00:00Z');
const encoded = (text: string) => Buffer.from(text).toString('base64');

function secret(data: Record<string, string>, metadata: object = {}): SecretObject {
  const entries = Object.entries(data).map(([id, text]) => [id, encoded(text)]);
  return { metadata: { name: REF.name, ...metadata }, data: Object.fromEntries(entries) as Record<string, string> };
}

test('a ring is read as written, and the rest of the Secret is kept', () => {
  const before = { ...secret({ note: 'mine' }, { labels: { a: 'b' }, resourceVersion: '7' }), type: 'Opaque' };
  const ring = newRing(AT);
  const after = withRing(before, ring);
  assert.deepEqual(ringIn(after, 'Secret'), ring);
  assert.deepEqual(
    [after.data?.['note'], after.metadata.labels, after.metadata.resourceVersion],
    [encoded('mine'), { a: 'b' }, '7'],
  );
  assert.equal(after.metadata.annotations?.[PROMOTED], '1=2026-01-01T00:00:00.000Z');
});

test('a dropped key is removed from the Secret', () => {
  const after = withRing(secret({ 0: newKey(), 1: newKey() }), { ...newRing(AT), keys: new Map([[5, newKey()]]) });
  assert.deepEqual(Object.keys(after.data ?? {}), ['5']);
});

test('the last change is the latest one to the keys that the API server or our annotation has recorded', () => {
  const noted = (time: string, field: string) => ({ time, fieldsV1: { [field]: {} } });
  const metadata = {
    creationTimestamp: '2026-01-01T00:00:00Z',
    managedFields: [noted('2026-01-03T00:00:00Z', 'f:data'), noted('2026-02-01T00:00:00Z', 'f:metadata')],
  };
  assert.equal(ringIn(secret({}, metadata), '').changedAt, Date.parse('2026-01-03T00:00:00Z'));
  const annotations = { [PROMOTED]: '1=2026-01-02T00:00:00Z 2=2026-01-04T00:00:00Z' };
  assert.equal(ringIn(secret({}, { ...metadata, annotations }), '').changedAt, Date.parse('2026-01-04T00:00:00Z'));
});

test('a damaged annotation counts as missing', () => {
  for (const text of ['', 'x', '1', '1=', '1=soon', 'x=2026-01-01T00:00:00Z']) {
    assert.deepEqual([...ringIn(secret({}, { annotations: { [PROMOTED]: text } }), '').promoted], [], text);
  }
});

test('entries that Keystone would not read are ignored', () => {
  const key = newKey();
  const { keys } = ringIn(secret({ 0: key, 1: '', 2: '\n', '0.tmp': 'x', '01': 'x', readme: 'x' }), '');
  assert.deepEqual([...keys], [[0, key]]);
});

test('a line break after a key is part of it: Keystone hashes the whole file', () => {
  const key = `${newKey()}\n`;
  const after = withRing(secret({}), ringIn(secret({ 3: key }), ''));
  assert.equal(after.data?.['3'], encoded(key));
});

test('an invalid key is rejected, and not shown', () => {
  for (const wrong of ['of-somebody', newKey().slice(1), `${newKey()}x`]) {
    assert.throws(
      () => ringIn(secret({ 1: wrong }), 'Secret a/b'),
      (error: Error) =>
        error.message.startsWith('Secret a/b: entry 1 is not a Fernet key') && !error.message.includes(wrong),
    );
  }
});

test('a ring is printed as its key numbers, with the staged and the primary key marked', () => {
  const ring = { ...newRing(AT), keys: new Map([5, 0, 4].map((id) => [id, newKey()])) };
  assert.equal(ringText(ring), '0 (staged), 4, 5 (primary)');
  assert.equal(emptySecret(REF).metadata.name, 'keystone-fernet-keys');
});
