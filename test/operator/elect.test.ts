import assert from 'node:assert/strict';
import { test } from 'node:test';
import { electionLease } from '../../src/operator/elect.ts';
import { CONTROLLERS } from '../../src/operator/options.ts';

test('of all processes that run Helm one leads, whatever else they run', () => {
  const leaseOf = (...controllers: (typeof CONTROLLERS)[number][]) => electionLease('openstack', controllers).name;
  assert.equal(leaseOf(...CONTROLLERS), 'kolla-operator');
  assert.equal(leaseOf('service'), 'kolla-operator');
  assert.equal(leaseOf('workload', 'service'), 'kolla-operator');
  assert.equal(leaseOf('workload', 'openstack'), 'kolla-operator-openstack-workload');
});
