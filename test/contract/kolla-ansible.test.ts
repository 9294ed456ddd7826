import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allProbes } from '../../src/services/probes.ts';
import { canHaveKollaAnsible, declaredHealthchecks } from './kolla-ansible.ts';

const skip = (await canHaveKollaAnsible()) ?? false;

/** Variables of kolla-ansible that are not named as the container is. */
const CONTAINERS: Readonly<Record<string, string>> = { valkey: 'valkey_server' };
/** In its repository after this release. */
const LATER = ['prometheus_alertmanager'];

test('every health check that kolla-ansible declares is known, and none has changed', { skip }, async () => {
  const theirs = (await declaredHealthchecks()).map(({ name, test: words }) => [CONTAINERS[name] ?? name, words]);
  const ours = allProbes().map(({ container, declared }) => [container, declared]);
  const released = ours.filter(([container]) => !LATER.includes(container ?? ''));
  assert.deepEqual(new Map(released.toSorted()), new Map(theirs.toSorted()));
  assert.equal(ours.length, theirs.length + LATER.length);
});
