import assert from 'node:assert/strict';
import { formatAddress } from '../../../src/net/dial/address.ts';
import { REGISTRY } from '../images.ts';
import { COMPUTE_NODES, CONTROL_NODE, type Stage } from '../stage.ts';
import type { Operation } from './operation.ts';

const PORT = 8080;

interface PodAddress {
  readonly status: { readonly podIPs: readonly { readonly ip: string }[] };
}

export const podsReach: Operation = {
  title: 'Pods reach each other across the nodes, and every API from the compute nodes',
  async run({ stage }) {
    await using stack = new AsyncDisposableStack();
    const nodes = [CONTROL_NODE, ...COMPUTE_NODES];
    const names = nodes.map((name) => `reach-${name}`);
    const pods = nodes.map((nodeName) => pod(`reach-${nodeName}`, nodeName, stage));
    await stage.kubectl(['apply', '--filename=-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: pods }));
    stack.defer(async () => void (await stage.kubectl(['delete', 'pod', ...names, '--now'])));
    await stage.kubectl(['wait', '--for=condition=Ready', 'pod', ...names, '--timeout=-1s']);
    const listed = await stage.kubectl(['get', 'pod', ...names, '--output=json']);
    const { items } = JSON.parse(listed) as { items: PodAddress[] };
    const urls = [
      ...items.flatMap(({ status }) =>
        status.podIPs.map(({ ip: host }) => `http://${formatAddress({ host, port: PORT })}/`),
      ),
      'http://keystone:5000/v3',
      'http://nova-metadata:8775/',
    ];
    for (const name of names) {
      const ask = ['curl', '--silent', '--show-error', '--fail', '--max-time', '20', '--output', '/dev/null'];
      for (const url of urls) await stage.kubectl(['exec', name, '--', ...ask, url]);
    }
    assert.equal(items.length, nodes.length);
    return `${names.length * urls.length} requests`;
  },
};

function pod(name: string, nodeName: string, { release, addresses }: Stage): object {
  // To `::` it accepts both families, but it does not start there on a node without IPv6.
  const bind = addresses === 'IPv4' ? '0.0.0.0' : '::';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      nodeName,
      securityContext: { runAsUser: 42_436, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'server',
          // One of the images that every node has.
          image: `${REGISTRY}/nova-compute:${release}`,
          command: ['python3', '-m', 'http.server', String(PORT), '--bind', bind, '--directory', '/usr/share/zoneinfo'],
          readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  };
}
