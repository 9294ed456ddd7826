import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conflictsIn, conflictVerdict } from '../../src/operator/helm/conflict.ts';

const KEYSTONE = 'conflict occurred while applying object openstack/keystone apps/v1, Kind=Deployment: ';
const ONE = `${KEYSTONE}Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas`;
const IMAGE = '.spec.template.spec.containers[name="main"].image';
const TWO =
  'conflict occurred while applying object openstack/keystone /v1, Kind=Service: Apply failed with 3 conflicts: ' +
  `conflicts with "kubectl-edit" using v1 at 2026-11-28T03:00:00Z:\n- .spec.type\n- ${IMAGE}\nconflicts with "vpa":\n- .spec.selector`;

test('a conflict has object, manager and field', () => {
  const expected = [{ object: 'deployment/keystone', manager: 'kubectl (scale)', field: '.spec.replicas' }];
  assert.deepEqual(conflictsIn(ONE), expected);
  assert.deepEqual(conflictsIn(`Upgrade "keystone" failed: ${ONE}`), expected);
});

test('each field of each manager and object is a conflict of its own', () => {
  const short = conflictsIn(`${ONE} && ${TWO}`).map(({ object, manager, field }) => `${object} ${manager} ${field}`);
  assert.deepEqual(short, [
    'deployment/keystone kubectl (scale) .spec.replicas',
    'service/keystone kubectl-edit .spec.type',
    `service/keystone kubectl-edit ${IMAGE}`,
    'service/keystone vpa .spec.selector',
  ]);
});

test('another error has no conflict, and says nothing of one', () => {
  for (const error of ['', 'pre-upgrade hooks failed', 'conflict occurred while applying object a/b v1, Kind=X: other'])
    assert.equal(conflictVerdict(error), undefined);
});

test('the condition has both ways out', () => {
  const { status, message } = conflictVerdict(ONE) ?? assert.fail();
  assert.equal(status, 'True');
  assert.match(
    message,
    /^deployment\/keystone: kubectl \(scale\) has set \.spec\.replicas\. To keep it,.*spec\.values/,
  );
  assert.match(message, /to discard it, set spec\.forceConflicts: true/);
});
