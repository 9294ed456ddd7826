import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '../../src/kube/types.ts';
import { checkUpgrade } from '../../src/operator/openstack/upgrade-check.ts';

test('the words of a check are not those of a Pod that was drained', async () => {
  const name = 'keystone-upgrade-1234-check';
  const ownerReferences = [{ kind: 'OpenStack', name: 'cloud', uid: 'cloud' }];
  const complete = {
    metadata: { name, uid: 'job', ownerReferences },
    status: { conditions: [{ type: 'Complete', status: 'True' }] },
  };
  const terminated = { message: 'kolla-db-sync: keystone-status upgrade check: A warning' };
  const drained = { message: 'kolla-db-sync: ended by SIGTERM' };
  const pod = (suffix: string, how: object, conditions: object[]) => ({
    metadata: { name: `${name}-${suffix}` },
    status: { conditions, containerStatuses: [{ name: 'upgrade', state: { terminated: how } }] },
  });
  const pods = [pod('a', drained, [{ type: 'DisruptionTarget', status: 'True' }]), pod('b', terminated, [])];
  const client = {
    get: (path: string) => Promise.resolve(path.includes('/pods?') ? { items: pods } : complete),
    request: () => Promise.resolve({}),
  } as unknown as KubeClient;
  const metadata = { name: 'cloud', namespace: 'openstack', uid: 'cloud', generation: 1 };
  const openstack = { metadata, spec: { release: '2026.1', services: {} } };
  const annotations = { 'kolla-pod/upgrade-check': 'true' };
  const rendered = [{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, annotations } }];
  const { signal } = new AbortController();
  const warning = 'keystone-status upgrade check: A warning';
  assert.deepEqual(await checkUpgrade(client, openstack, rendered, signal), { is: 'passed', warning });
});
