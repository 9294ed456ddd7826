import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isScaling } from '../../src/operator/service/scale.ts';

test('only a number of replicas or a pause is scaling, also next to values that are null', () => {
  const values = { workloads: { api: { replicas: 1 }, wsgi: null } };
  assert.ok(isScaling(values, { workloads: { api: { replicas: 2 }, wsgi: null } }));
  assert.ok(!isScaling(values, { workloads: { api: { replicas: 1 } } }), 'null removes what the chart has');
  assert.ok(isScaling({ workloads: null, upgrade: null }, { workloads: null, upgrade: null }));
  assert.ok(!isScaling({ workloads: { api: { image: 'a' } } }, { workloads: { api: { image: 'b' } } }));
});
