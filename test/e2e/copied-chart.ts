/** A chart's Pod in an image without kolla-pod: `kollaPod.delivery: copied` on the shared node. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rendering } from '../charts/support.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { until } from '../support/until.ts';
import type { KubeNode } from '../cluster/kubernetes/index.ts';
import { VERSION } from '../../src/core/version.ts';

/** The chart of these values. */
export const SMALL = fileURLToPath(new URL('../charts/fixtures/small', import.meta.url));
const PORT = 8000;

/**
 * Tests on a node that has the images `your/keystone:1` and `kolla-pod:VERSION`, in a namespace that enforces
 * `restricted`.
 */
export function copiedChartTests(node: () => KubeNode, namespace: string): void {
  const kubectl = (args: readonly string[], input?: string) =>
    node().kubectl([`--namespace=${namespace}`, ...args], input);
  const apply = async (items: readonly object[]) =>
    await kubectl(['apply', '--filename=-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  /** A Deployment `small-KEY` of the chart. */
  const start = async (key: string, mode: 'exec' | 'resident', global: object = {}) => {
    await using chart = await rendering('small', SMALL);
    const { all } = await chart.render(valuesOf(key, mode, global));
    await apply(all.map((object) => ({ ...object, metadata: { ...object.metadata, namespace } })));
  };
  const isAvailable = (key: string) =>
    kubectl(['wait', '--for=condition=Available', `deployment/small-${key}`, '--timeout=-1s']);
  const inService = (key: string, script: string) =>
    kubectl(['exec', `deployment/small-${key}`, `--container=small-${key}`, '--', 'bash', '-c', script]);

  test("a chart's Pod gets its configuration, probes and PATH from an init container's copy", async (t) => {
    const unable = await canRunHelm();
    if (unable !== undefined) {
      t.skip(unable);
      return;
    }
    await start('api', 'resident');
    await isAvailable('api');
    const said = await inService('api', 'command -v sudo; cat /etc/keystone/small.conf');
    assert.equal(said, '/opt/kolla-pod/rootless-bin/sudo\npassword = of-small-database-password\n');
  });

  test('the kubelet waits for a Secret created later, and kolla-init installs its password', async (t) => {
    const unable = await canRunHelm();
    if (unable !== undefined) {
      t.skip(unable);
      return;
    }
    await start('secret', 'exec', {
      passwords: { small_database_password: null },
      passwordSecrets: { small_database_password: { secret: 'small-passwords', key: 'database' } },
    });
    const secretWith = async (stringData: object) => {
      await apply([{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'small-passwords', namespace }, stringData }]);
    };
    const failsToMount = async (why: string) =>
      await until(`an event for the failed mount: ${why}`, async (saw) => {
        const said = await kubectl(['get', 'events', '--field-selector=reason=FailedMount', '--output=json']);
        const { items } = JSON.parse(said) as { items: { message: string }[] };
        const messages = items.map(({ message }) => message);
        saw(messages);
        return messages.find((message) => message.includes(`volume "config-files" : ${why}`));
      });
    await failsToMount('secret "small-passwords" not found');
    await secretWith({ other: 'hunter1' });
    await failsToMount('references non-existent secret key: database');
    await secretWith({ database: 'hunter2' });
    await isAvailable('secret');
    // The service gets the rendered file, but not its sources.
    const said = await inService('secret', 'cat /etc/keystone/small.conf; ls -A /var/lib/kolla/config_files');
    assert.equal(said, 'password = hunter2\n');
    // No wait, probe or sidecar of this Pod needs kolla-pod.
    assert.equal(await inService('secret', 'ls /opt/kolla-pod'), 'bin\nkolla-core\nrootless-bin\n');
    assert.doesNotMatch(await kubectl(['logs', 'deployment/small-secret', '--all-containers']), /hunter/);
  });
}

/** Values with one workload, which serves the file that kolla-init installed from PORT. */
export function valuesOf(key: string, mode: string, global: object, delivery: string = 'copied'): object {
  const source = '/var/lib/kolla/config_files/small.conf';
  const workload = {
    needs: [],
    probes: { mode, readiness: `http http://127.0.0.1:${PORT}/small.conf`, periodSeconds: 1 },
    configJson: {
      command: `python3 -m http.server ${PORT} --directory /etc/keystone`,
      config_files: [{ source, dest: '/etc/keystone/small.conf', owner: 'keystone', perm: '0600' }],
    },
  };
  return {
    global: {
      ...global,
      registry: 'your',
      kollaPod: { delivery, image: { reference: `kolla-pod:${VERSION}` } },
    },
    image: { repository: 'keystone', tag: '1' },
    user: { name: 'keystone', uid: 42_425 },
    needs: [],
    bootstrap: { enabled: false },
    workloads: { worker: { enabled: false }, api: { enabled: false }, [key]: { enabled: true, ...workload } },
  };
}
