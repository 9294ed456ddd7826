/**
 * The charts' NetworkPolicies as a policy engine enforces them: kube-router, on a real node. Only the network is tested, so a small server listens on each port that a chart's Pod has; labels, ports, Services and policies are the
 * chart's own.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { canRunHelm } from '../../tools/helm.ts';
import { NAMESPACE, rendering, type KubeObject, type Rendered } from '../charts/support.ts';
import { canEnforcePolicies, startNode, TESTBOX_IMAGE, type KubeNode } from '../cluster/kubernetes/index.ts';
import { until } from '../support/until.ts';

const skip = (await canEnforcePolicies()) ?? (await canRunHelm()) ?? false;

const ELSEWHERE = 'elsewhere';
/** Practically unlimited (a week), because the file's watchdog stops a wait that hangs. */
const TIMEOUT = '--timeout=-1s';
/** The sidecar's port, which is open to kubelets and Prometheus wherever they are. */
const SIDECAR = '9808';
/** The chart's Service with its first port. */
const SERVICE = 'Service';
const REFUSED = 'connection refused';

interface Case {
  readonly name: string;
  readonly peerPorts: readonly string[];
  readonly clientPorts: readonly string[];
  /** Those of `clientPorts` that only Pods with this label reach. */
  readonly labelled?: { readonly ports: readonly string[]; readonly label: string };
  /** The chart's networkPolicy.from; undefined for Pods of the namespace. */
  readonly from?: readonly object[];
}

/**
 * RabbitMQ's policy admits clients from every namespace, to which the ports of its peers must stay closed, and without the label its
 * management API.
 */
const CASES: readonly Case[] = [
  { name: 'mariadb', peerPorts: ['4444', '4567', '4568'], clientPorts: ['3306'] },
  {
    name: 'rabbitmq',
    peerPorts: ['4369', '25672'],
    clientPorts: ['5672', '15672'],
    labelled: { ports: ['15672'], label: 'kolla-pod/uses-rabbitmq-management' },
    from: [{ namespaceSelector: {} }],
  },
  {
    name: 'memcached',
    peerPorts: [],
    clientPorts: ['11211'],
    labelled: { ports: ['11211'], label: 'kolla-pod/uses-memcached' },
  },
];

describe("the charts' NetworkPolicies on a node with a policy engine", { skip }, () => {
  let node: KubeNode;
  before(async () => {
    node = await startNode({ policies: true });
    for (const namespace of [NAMESPACE, ELSEWHERE]) {
      await node.kubectl(['create', 'namespace', namespace]);
      await until('the default ServiceAccount', async () => {
        const found = await node.kubectl([`--namespace=${namespace}`, 'get', 'serviceaccount', '--output=name']);
        return found.includes('default') || undefined;
      });
    }
    await node.kubectl(['apply', '--filename=-'], JSON.stringify(pod(NAMESPACE, 'neighbour', { app: 'neighbour' })));
  });
  after(async () => await node?.[Symbol.asyncDispose]());

  for (const { name, peerPorts, clientPorts, labelled = { ports: [], label: 'none' }, from } of CASES)
    describe(name, () => {
      const labelledPod = `${name}-client`;
      /** The Service leads to the first port. */
      const withService = (ports: readonly string[]) => (ports.includes(clientPorts[0]!) ? [...ports, SERVICE] : ports);
      const inNamespace = (args: readonly string[], input?: string) =>
        node.kubectl([`--namespace=${NAMESPACE}`, ...args], input);
      let policy: KubeObject;
      /** Addresses of the first Pod's ports and of the Service. */
      const targets = new Map<string, string>();
      before(async () => {
        await using chart = await rendering(name);
        const rendered = await chart.render(from === undefined ? {} : { networkPolicy: { from } });
        policy = rendered.one('NetworkPolicy', name);
        const { labels, ports } = podTemplateOf(rendered, name);
        assert.deepEqual(
          ports.map(({ containerPort }) => String(containerPort)).toSorted(),
          [...peerPorts, ...clientPorts, SIDECAR].toSorted(),
        );
        const items = [
          ...rendered.of('Service'),
          pod(NAMESPACE, `${name}-0`, labels, ports),
          pod(NAMESPACE, `${name}-1`, labels),
          pod(NAMESPACE, labelledPod, { [labelled.label]: 'true' }),
          pod(ELSEWHERE, `${name}-1`, { ...labels, [labelled.label]: 'true' }),
        ];
        await node.kubectl(['apply', '--filename=-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
        for (const namespace of [NAMESPACE, ELSEWHERE])
          await node.kubectl([`--namespace=${namespace}`, 'wait', '--for=condition=Ready', 'pod', '--all', TIMEOUT]);
        const ip = await inNamespace(['get', `pod/${name}-0`, '--output=jsonpath={.status.podIP}']);
        for (const { containerPort } of ports) targets.set(String(containerPort), `${ip}:${containerPort}`);
        const service = await inNamespace(['get', `service/${name}`, '--output=jsonpath={.spec.clusterIP}']);
        targets.set(SERVICE, `${service}:${clientPorts[0]}`);
      });

      /** Opens one new connection to each target. The result is `open`, or the error. */
      const dial = async (namespace: string, client: string): Promise<Record<string, string>> => {
        const command = ['exec', client, '--', '/testbox', 'dial', ...targets.values()];
        const lines = (await node.kubectl([`--namespace=${namespace}`, ...command])).trimEnd().split('\n');
        return Object.fromEntries([...targets.keys()].map((target, at) => [target, lines[at]!.replace(/^\S+ /, '')]));
      };
      const dialFromAll = async () => ({
        'a Pod of the workload': await dial(NAMESPACE, `${name}-1`),
        'another Pod of the namespace': await dial(NAMESPACE, 'neighbour'),
        'a Pod of the namespace with the label of clients': await dial(NAMESPACE, labelledPod),
        'a Pod with both labels in another namespace': await dial(ELSEWHERE, `${name}-1`),
      });
      /** The results if these targets are closed and all others open. */
      const closed = (...ports: readonly string[]): Record<string, string> =>
        Object.fromEntries([...targets.keys()].map((target) => [target, ports.includes(target) ? REFUSED : 'open']));
      const everythingOpen = () => ({
        'a Pod of the workload': closed(),
        'another Pod of the namespace': closed(),
        'a Pod of the namespace with the label of clients': closed(),
        'a Pod with both labels in another namespace': closed(),
      });
      /** No event announces that servers, rules of Services and deleted policies have taken effect. */
      const untilOpen = async (namespace: string, client: string) =>
        await until(`every port to be open to ${namespace}/${client}`, async (saw) => {
          const results = await dial(namespace, client);
          saw(results);
          return Object.values(results).every((result) => result === 'open') || undefined;
        });

      test('without the policy every Pod reaches every port', async () => {
        await untilOpen(NAMESPACE, 'neighbour');
        assert.deepEqual(await dialFromAll(), everythingOpen());
      });

      test('with the policy only Pods of the workload reach the ports of its peers, and only labelled ones a port of clients', async () => {
        await inNamespace(['apply', '--filename=-'], JSON.stringify(policy));
        await until('the policy to take effect', async (saw) => {
          const results = await dial(NAMESPACE, 'neighbour');
          saw(results);
          return results[[...peerPorts, ...labelled.ports][0]!] !== 'open' || undefined;
        });
        assert.deepEqual(await dialFromAll(), {
          'a Pod of the workload': closed(...withService(labelled.ports)),
          'another Pod of the namespace': closed(...peerPorts, ...withService(labelled.ports)),
          'a Pod of the namespace with the label of clients': closed(...peerPorts),
          'a Pod with both labels in another namespace': closed(
            ...peerPorts,
            ...(from === undefined ? withService(clientPorts) : []),
          ),
        });
      });

      test('with the policy deleted every Pod reaches every port again', async () => {
        await inNamespace(['delete', 'networkpolicy', policy.metadata.name]);
        await untilOpen(NAMESPACE, 'neighbour');
        assert.deepEqual(await dialFromAll(), everythingOpen());
      });
    });
});

interface Port {
  readonly name: string;
  readonly containerPort: number;
}

/** The labels and ports of a StatefulSet's Pods, including those of its sidecar. */
function podTemplateOf(rendered: Rendered, name: string): { labels: Record<string, string>; ports: Port[] } {
  const { metadata, spec } = rendered.one('StatefulSet', name)['spec'].template;
  const containers = [...spec.initContainers, ...spec.containers] as { readonly ports?: readonly Port[] }[];
  return { labels: metadata.labels, ports: containers.flatMap(({ ports }) => ports ?? []) };
}

/** A Pod that listens on the ports, or on none. */
function pod(namespace: string, name: string, labels: Readonly<Record<string, string>>, ports: readonly Port[] = []) {
  const idle = { name: 'idle', image: TESTBOX_IMAGE, args: ['pause'] };
  const servers = ports.map((port) => ({
    name: port.name,
    image: TESTBOX_IMAGE,
    args: ['serve', `:${port.containerPort}`],
    ports: [port],
  }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: { terminationGracePeriodSeconds: 1, containers: ports.length === 0 ? [idle] : servers },
  };
}
