import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { canRunControlPlane, endPodsOf } from '../cluster/kubernetes/index.ts';
import { batch, podSpec } from '../integration/objects.ts';
import { namespaceName, sharedControlPlane } from '../servers/index.ts';
import { startHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';

const skip = (await canRunControlPlane()) ?? false;

test('kubernetes-entrypoint waits for a Job, and then executes the command', { skip }, async () => {
  await using cluster = await sharedControlPlane();
  const namespace = namespaceName('openstack');
  await cluster.createNamespace(namespace);
  const env = {
    KUBERNETES_ENTRYPOINT_KUBECONFIG: cluster.kubeconfig,
    NAMESPACE: namespace,
    DEPENDENCY_JOBS: 'sync',
    COMMAND: 'echo in its place',
  };
  await using entrypoint = await startHelper('kubernetes-entrypoint', [], { env, keepOutput: true });
  const closed = once(entrypoint.child, 'close');
  let said = '';
  for (const stream of [entrypoint.child.stdout, entrypoint.child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until('the Job to be missed', async () => /no such Job/.test(said) || undefined);
  const job = { ...batch('sync'), spec: { backoffLimit: 0, template: { spec: podSpec('Never') } } };
  await cluster.kubectl([`--namespace=${namespace}`, 'create', '--filename=-'], JSON.stringify(job));
  await endPodsOf(cluster, namespace, 'sync', 'Succeeded');
  await closed;
  assert.equal(await entrypoint.ended, 0, said);
  assert.match(said, new RegExp(`Job sync in namespace ${namespace} is resolved[^]*\\nin its place\\n`));
});
