import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { canBuildCoredns, canRunNode, startNode, TESTBOX_IMAGE, type KubeNode } from '../cluster/kubernetes/index.ts';
import { until } from '../support/until.ts';

const skip = (await canRunNode()) ?? (await canBuildCoredns()) ?? false;
const PORT = 8080;
/** Practically unlimited (a week), because the file's watchdog stops a wait that hangs. */
const TIMEOUT = '--timeout=-1s';

describe('two kubelets in two network namespaces', { skip }, () => {
  let node: KubeNode;
  before(async () => (node = await startNode({ dns: true, further: 1 })));
  after(async () => await node?.[Symbol.asyncDispose]());

  test('both are Ready, each with its own address', async () => {
    const path = '{range .items[*]}{.metadata.name} {.status.addresses[0].address}{"\\n"}{end}';
    await node.kubectl(['wait', '--for=condition=Ready', 'node', '--all', TIMEOUT]);
    assert.equal(
      await node.kubectl(['get', 'nodes', `--output=jsonpath=${path}`]),
      'node1 10.88.0.1\nnode2 10.88.0.2\n',
    );
  });

  test('Pods on both nodes reach a Service by name whose only Pod is on one of them', async () => {
    for (const [server, client] of [
      ['node1', 'node2'],
      ['node2', 'node1'],
    ] as const) {
      const name = `on-${server}`;
      await apply(pod(name, server, ['serve', `0.0.0.0:${PORT}`]), service(name));
      await node.kubectl(['wait', '--for=condition=Ready', `pod/${name}`, TIMEOUT]);
      const url = `http://${name}.default.svc.cluster.local:${PORT}/`;
      // Rules and names of Services reach each node asynchronously and without an event, so the Pod retries.
      await apply(pod(`from-${client}`, client, ['get', url], 'OnFailure'));
      await node.kubectl(['wait', '--for=jsonpath={.status.phase}=Succeeded', `pod/from-${client}`, TIMEOUT]);
    }
  });

  test('the API server serves the log of a Pod on the second node, whose Pods reach it by name', async () => {
    assert.equal(await node.kubectl(['logs', 'from-node2']), 'served /\n');
    const url = 'https://kubernetes.default.svc.cluster.local/';
    await apply(pod('asks-api', 'node2', ['get', url]));
    // testbox does not trust the CA: its certificate error shows that it got a response.
    await node.kubectl(['wait', '--for=jsonpath={.status.phase}=Failed', 'pod/asks-api', TIMEOUT]);
    assert.match(await node.kubectl(['logs', 'asks-api']), /certificate/);
  });

  test('a NoExecute taint on one node moves its Pods to the other', async () => {
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'moved' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'moved' } },
        template: { metadata: { labels: { app: 'moved' } }, spec: { ...quick(), containers: [container(['pause'])] } },
      },
    };
    await apply(deployment);
    await node.kubectl(['rollout', 'status', 'deployment/moved', TIMEOUT]);
    await node.kubectl(['taint', 'node', 'node2', 'test/gone=yes:NoExecute']);
    const where = '--output=jsonpath={.items[*].spec.nodeName}';
    await until('all to be on node1', async () => {
      const nodes = (await node.kubectl(['get', 'pods', '--selector=app=moved', where])).split(' ');
      return (nodes.length === 2 && nodes.every((name) => name === 'node1')) || undefined;
    });
    await node.kubectl(['rollout', 'status', 'deployment/moved', TIMEOUT]);
  });

  async function apply(...items: object[]): Promise<void> {
    await node.kubectl(['apply', '--filename=-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  }
});

function container(args: readonly string[]): object {
  return { name: 'main', image: TESTBOX_IMAGE, args, ports: [{ containerPort: PORT }] };
}

function quick(): object {
  return { terminationGracePeriodSeconds: 1 };
}

function pod(name: string, nodeName: string, args: readonly string[], restartPolicy = 'Never'): object {
  const spec = { ...quick(), nodeName, restartPolicy, containers: [container(args)] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: name } }, spec };
}

function service(name: string): object {
  const ports = [{ port: PORT }];
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { selector: { app: name }, ports } };
}
