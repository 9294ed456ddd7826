/** A chart's Pod in an image without anything of ours: `kollaPod.delivery: copied` on the node of the other tests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rendering } from '../charts/support.ts';
import { canRunHelm } from '../../tools/helm.ts';
import type { KubeNode } from '../cluster/kubernetes/index.ts';

const SMALL = fileURLToPath(new URL('../charts/fixtures/small', import.meta.url));
const PORT = 8000;

/** Tests of a node that has the images `your/keystone:1` and `kolla-pod:0.1.0`, in a namespace that enforces `restricted`. */
export function copiedChartTests(node: () => KubeNode, namespace: string): void {
  test("a chart's Pod has configuration, probes and search path by what an init container copied", async (t) => {
    const unable = await canRunHelm();
    if (unable !== undefined) {
      t.skip(unable);
      return;
    }
    const kubectl = (args: readonly string[], input?: string) =>
      node().kubectl([`--namespace=${namespace}`, ...args], input);
    await using chart = await rendering('small', SMALL);
    const source = '/var/lib/kolla/config_files/small.conf';
    const { all } = await chart.render({
      global: { registry: 'your', kollaPod: { delivery: 'copied', image: { reference: 'kolla-pod:0.1.0' } } },
      image: { repository: 'keystone', tag: '1' },
      user: { name: 'keystone', uid: 42_425 },
      needs: [],
      bootstrap: { enabled: false },
      workloads: {
        worker: { enabled: false },
        api: {
          needs: [],
          probes: { readiness: `http http://127.0.0.1:${PORT}/small.conf`, periodSeconds: 1 },
          configJson: {
            command: `python3 -m http.server ${PORT} --directory /etc/keystone`,
            config_files: [{ source, dest: '/etc/keystone/small.conf', owner: 'keystone', perm: '0600' }],
          },
        },
      },
    });
    const items = all.map((object) => ({ ...object, metadata: { ...object.metadata, namespace } }));
    await kubectl(['apply', '--filename=-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    await kubectl(['wait', '--for=condition=Available', 'deployment/small-api', '--timeout=-1s']);
    const script = 'command -v sudo; cat /etc/keystone/small.conf';
    const said = await kubectl(['exec', 'deployment/small-api', '--container=small-api', '--', 'bash', '-c', script]);
    assert.equal(said, '/opt/kolla-pod/rootless-bin/sudo\npassword = of-small-database-password\n');
  });
}
