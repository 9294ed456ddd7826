import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { formatAddress } from '../../src/net/dial/address.ts';
import { canBuildCoredns, canRunNode, startNode, TESTBOX_IMAGE, type KubeNode } from '../cluster/kubernetes/index.ts';
import { anyOf, FAMILIES, nodeOf, type Addresses } from '../cluster/kubernetes/network.ts';
import { until } from '../support/until.ts';

const skip = (await canRunNode()) ?? (await canBuildCoredns()) ?? false;
const PORT = 8080;
/** Practically unlimited (a week), because the file's watchdog stops a wait that hangs. */
const TIMEOUT = '--timeout=-1s';

const testsWith = (addresses: Addresses) => (): void => {
  let node: KubeNode;
  before(async () => (node = await startNode({ addresses, dns: true, further: 1 })));
  after(async () => await node?.[Symbol.asyncDispose]());

  test('both are Ready, each with its own addresses', async () => {
    const internal = '{range .status.addresses[?(@.type=="InternalIP")]} {.address}{end}';
    const path = `{range .items[*]}{.metadata.name}${internal}{"\\n"}{end}`;
    await node.kubectl(['wait', '--for=condition=Ready', 'node', '--all', TIMEOUT]);
    const lines = [1, 2].map((number) => {
      const { name, families } = nodeOf(number, addresses);
      return `${[name, ...families.map(({ address }) => address)].join(' ')}\n`;
    });
    assert.equal(await node.kubectl(['get', 'nodes', `--output=jsonpath=${path}`]), lines.join(''));
  });

  test('Pods on both nodes reach a Service by name whose only Pod is on one of them', async () => {
    for (const [server, client] of [
      ['node1', 'node2'],
      ['node2', 'node1'],
    ] as const) {
      const name = `on-${server}`;
      const at = formatAddress({ host: anyOf(nodeOf(1, addresses)), port: PORT });
      await apply(pod(name, server, ['serve', at]), service(name));
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
};

for (const addresses of Object.keys(FAMILIES) as Addresses[])
  describe(`two kubelets in two network namespaces, ${addresses}`, { skip }, testsWith(addresses));

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
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports, ipFamilyPolicy: 'PreferDualStack' },
  };
}
