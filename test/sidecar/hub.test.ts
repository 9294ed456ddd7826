import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hub } from '../../src/sidecar/status/hub.ts';
import type { StatusDocument } from '../../src/sidecar/status/document.ts';
import { keystoneAtNight } from './status-sample.ts';

test('a new client gets everything, an up-to-date one nothing', () => {
  const { hub } = hubOf();
  hub.refresh();
  const all = hub.since(undefined);
  assert.equal(all?.isWhole, true);
  assert.deepEqual(Object.keys(all.set), ['about', 'config', 'migration', 'shipping']);
  assert.equal(all.put.checks?.length, 4);
  assert.equal(hub.since(all.id), undefined);
});

test('only changes are sent', () => {
  const { hub, at } = hubOf();
  hub.refresh();
  const { id } = hub;
  at.document = {
    ...at.document,
    checks: at.document.checks.map((row) => (row.name === 'api' ? { ...row, state: 'unseen' } : { ...row })),
  };
  assert.equal(hub.refresh(), true);
  const delta = hub.since(id);
  assert.deepEqual(
    delta?.put.checks?.map((row) => (row as { name: string }).name),
    ['api'],
  );
  assert.deepEqual([delta?.isWhole, delta?.set, delta?.gone, delta?.order], [false, {}, {}, {}]);
  assert.equal(hub.refresh(), false, 'nothing is other at the next look');
});

test('removed items are named, and re-added ones are present', () => {
  const { hub, at } = hubOf();
  hub.refresh();
  const { id } = hub;
  const { waits } = at.document;
  at.document = { ...at.document, waits: waits.slice(1) };
  hub.refresh();
  assert.deepEqual(hub.since(id)?.gone, { waits: [waits[0]?.name] });
  at.document = { ...at.document, waits: [waits[1]!, waits[0]!] };
  hub.refresh();
  const delta = hub.since(id);
  assert.deepEqual(delta?.gone.waits ?? [], []);
  assert.deepEqual(delta?.order.waits, [waits[1]?.name, waits[0]?.name]);
});

test('a client with an id of another process, a future id, or none gets everything', () => {
  const { hub } = hubOf();
  hub.refresh();
  for (const id of ['other-1', 'boot-99', 'boot-', '', 'undefined', '-1'])
    assert.equal(hub.since(id)?.isWhole, true, id);
});

test('a client away for longer than removals are remembered gets everything', () => {
  const { hub, at } = hubOf();
  hub.refresh();
  const { id } = hub;
  const row = at.document.files[0]!;
  at.document = { ...at.document, files: Array.from({ length: 2100 }, (_, i) => ({ ...row, name: `/f${i}` })) };
  hub.refresh();
  at.document = { ...at.document, files: [] };
  hub.refresh();
  assert.equal(hub.since(id)?.isWhole, true);
});

function hubOf(): { hub: Hub; at: { document: StatusDocument } } {
  const at = { document: keystoneAtNight(0) };
  return { hub: new Hub('boot', () => at.document), at };
}
