import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownedByHelm } from '../../src/operator/helm/take-over.ts';

const helm = {
  manager: 'helm',
  operation: 'Apply',
  fieldsV1: {
    'f:spec': {
      'f:replicas': {},
      'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"main"}': { '.': {}, 'f:image': {}, 'f:name': {} } } } },
    },
  },
};
const status = {
  manager: 'kube-controller-manager',
  operation: 'Update',
  subresource: 'status',
  fieldsV1: { 'f:spec': { 'f:replicas': {} } },
};
const update = (manager: string, fieldsV1: object) => ({ manager, operation: 'Update', fieldsV1: { ...fieldsV1 } });

test("what others share with Helm becomes Helm's, and what they have beside it stays theirs", () => {
  const scaled = { ...update('kubectl', { 'f:spec': { 'f:replicas': {} } }), subresource: 'scale' };
  const container = (fields: object) => ({
    'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"main"}': fields } } } },
  });
  const set = update('kubectl-set', container({ 'f:image': {}, 'f:env': {} }));
  const entries = [helm, scaled, set, status];
  assert.deepEqual(ownedByHelm(entries), [helm, update('kubectl-set', container({ 'f:env': {} })), status]);
});

test('nothing is to be changed where nothing is shared, or Helm has applied nothing', () => {
  const paused = update('kolla-operator-workload', { 'f:spec': { 'f:paused': {} } });
  assert.equal(ownedByHelm([helm, paused, status]), undefined);
  assert.equal(ownedByHelm([update('kubectl', { 'f:spec': { 'f:replicas': {} } })]), undefined);
  assert.equal(ownedByHelm([]), undefined);
});
