import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allProbes } from '../../src/catalog/index.ts';
import { canHaveKollaAnsible, declaredHealthchecks } from './kolla-ansible.ts';

const skip = (await canHaveKollaAnsible()) ?? false;

/** Variables of kolla-ansible that are not named after their container. */
const CONTAINERS: Readonly<Record<string, string>> = { valkey: 'valkey_server' };
/** Added to kolla-ansible's repository after this release. */
const LATER = ['prometheus_alertmanager'];

type Entry = [container: string, declared: string | undefined];

test('every health check declared by kolla-ansible is known and unchanged', { skip }, async () => {
  const theirs = (await declaredHealthchecks()).map(({ name, test: words }): Entry => [
    CONTAINERS[name] ?? name,
    words,
  ]);
  const ours = allProbes().map(({ container, declared }): Entry => [container, declared]);
  const released = ours.filter(([container]) => !LATER.includes(container));
  const byName = (a: Entry, b: Entry) => (a[0] < b[0] ? -1 : 1);
  assert.deepEqual(released.toSorted(byName), theirs.toSorted(byName));
  assert.equal(ours.length, theirs.length + LATER.length);
});
