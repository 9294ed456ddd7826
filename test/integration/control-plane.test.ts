import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { connectKube } from '../../src/kube/index.ts';
import { canRunControlPlane, endPodsOf, startControlPlane, type ControlPlane } from '../cluster/kubernetes/index.ts';
import { processesWith } from '../support/left-over.ts';
import { untilAllowed } from './kolla-db-sync-lease-support.ts';

const JOB = (name: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: {
    backoffLimit: 0,
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'none.test/c:1' }] } },
  },
});

describe('a control plane without a node', { skip: (await canRunControlPlane()) ?? false }, () => {
  let cluster: ControlPlane;
  before(async () => {
    cluster = await startControlPlane();
    await cluster.kubectl(['create', 'namespace', 'openstack']);
  });
  after(async () => await cluster[Symbol.asyncDispose]());
  const kubectl = (...args: string[]) => cluster.kubectl(['--namespace=openstack', ...args]);

  test('reports its version', async () => {
    const { serverVersion } = JSON.parse(await kubectl('version', '--output=json')) as {
      serverVersion: { gitVersion: string };
    };
    assert.match(serverVersion.gitVersion, /^v1\.\d+\.\d+$/);
  });

  test('a ServiceAccount may do what its Role allows and nothing else', async () => {
    await kubectl('create', 'serviceaccount', 'waiter');
    await kubectl('create', 'role', 'waiter', '--verb=get,watch', '--resource=jobs');
    await kubectl('create', 'rolebinding', 'waiter', '--role=waiter', '--serviceaccount=openstack:waiter');
    using admin = await connectKube({ kind: 'kubeconfig', files: [cluster.kubeconfig] });
    const right = { verb: 'get', group: 'batch', resource: 'jobs' };
    await untilAllowed(admin, { name: 'waiter', namespace: 'openstack' }, right);
    const asWaiter = ['--kubeconfig', await cluster.kubeconfigOf('openstack', 'waiter')];
    await assert.rejects(kubectl(...asWaiter, 'get', 'job', 'missing'), /NotFound/);
    await assert.rejects(kubectl(...asWaiter, 'get', 'secrets'), /Forbidden.*openstack:waiter/s);
    await assert.rejects(kubectl(...asWaiter, 'delete', 'job', 'missing'), /Forbidden/);
  });

  test('a Job becomes Complete when its Pod has succeeded', async () => {
    await cluster.kubectl(['--namespace=openstack', 'create', '--filename=-'], JSON.stringify(JOB('good')));
    await endPodsOf(cluster, 'openstack', 'good', 'Succeeded');
    await kubectl('wait', '--for=condition=Complete', 'job/good', '--timeout=-1s');
  });

  test('a Job becomes Failed when its Pod has failed', async () => {
    await cluster.kubectl(['--namespace=openstack', 'create', '--filename=-'], JSON.stringify(JOB('bad')));
    await endPodsOf(cluster, 'openstack', 'bad', 'Failed');
    await kubectl('wait', '--for=condition=Failed', 'job/bad', '--timeout=-1s');
  });

  test('two control planes are independent, and neither leaves anything behind', async () => {
    let directory = '';
    {
      await using other = await startControlPlane();
      ({ directory } = other);
      assert.notEqual(other.server, cluster.server);
      assert.doesNotMatch(await other.kubectl(['get', 'namespaces']), /openstack/);
      assert.equal(other.pids.length, 3);
      assert.deepEqual(
        other.pids.filter((pid) => !processesWith(directory).includes(pid)),
        [],
      );
    }
    assert.deepEqual(processesWith(directory), []);
    assert.ok(!existsSync(directory));
    await kubectl('get', 'namespace', 'openstack');
  });
});
