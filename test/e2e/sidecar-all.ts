/** k8s/examples/sidecar-all on the shared node: a Keystone with one sidecar for everything. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { StatusDocument } from '../../src/sidecar/status/document.ts';
import { until } from '../support/until.ts';
import type { Stage } from './keystone-pod.ts';

const EXAMPLES = fileURLToPath(new URL('../../k8s/examples/', import.meta.url));
/** Name of the namespace and of the Keystone database. */
const NAME = 'onesidecar';

/** @param stage called when a test runs */
export function sidecarAllTests(stage: () => Stage): void {
  const kubectl = (args: readonly string[], input?: string) =>
    stage().node.kubectl(['--namespace', NAME, ...args], input);
  const manifest = (name: string) => readFile(`${EXAMPLES}${name}.yaml`, 'utf8');
  const apply = async (text: string) => void (await kubectl(['apply', '--filename=-'], text));
  /** Requested from inside the Pod. */
  const status = async () => {
    const text = await kubectl([
      'exec',
      'deployment/keystone',
      '--container=sidecar',
      '--',
      ...askPython('/status.json'),
    ]);
    return JSON.parse(text) as StatusDocument;
  };

  test("one sidecar with all components delays Keystone's start, then reports healthy to clients within the Pod only", async () => {
    const { node, mariadb } = stage();
    const stringData = { password: mariadb.rootPassword };
    await apply((await manifest('keystone/namespace')).replace('name: keystone', `name: ${NAME}`));
    await apply(JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'database-admin' }, stringData }));
    await apply((await manifest('keystone/config')).replaceAll('3306/keystone?', `3306/${NAME}?`));
    const example = await manifest('sidecar-all/deployment');
    await apply(
      example
        .replace('tcp://mariadb:3306', `tcp://${node.address}:3306`)
        .replace('http://elasticsearch:9200', `http://${node.address}:9200`),
    );
    await kubectl(['wait', '--for=condition=Available', 'deployment/keystone', '--timeout=-1s']);
    assert.match(await kubectl(['get', 'pods']), /^keystone-\S+ +2\/2 +Running +0 /m);
    const now = await until('lines to be acknowledged', async (saw) => {
      const seen = await status();
      saw(seen.shipping);
      return (seen.shipping?.acknowledged ?? 0) > 0 ? seen : undefined;
    });
    assert.deepEqual(
      now.components.map(({ name, state, failures }) => `${name} ${state} ${failures}`),
      ['probe running 0', 'config-watch running 0', 'waits done 0', 'db-sync done 0', 'log-ship running 0'],
    );
    const logs = await kubectl(['logs', 'deployment/keystone', '--container=sidecar']);
    assert.doesNotMatch(logs, /can't be reclaimed/);
    const programs = await kubectl(['exec', 'deployment/keystone', '--container=sidecar', '--', ...PROGRAMS]);
    assert.match(programs, /\/kolla-core$/m);
    assert.doesNotMatch(programs, /\/kolla-pod$/m, 'it has ended with the migration');
    assert.deepEqual([now.about.startup, now.about.readiness, now.migration?.stage], ['ok', 'ok', 'ok']);
    assert.match(now.config?.configMap ?? '', /^\.\.20/);
    assert.ok(now.files.some(({ name }) => name === '/etc/keystone/keystone.conf'));
    const pod = (await kubectl(['get', 'pods', '--output=name'])).trim().replace('pod/', '');
    const outside = `/api/v1/namespaces/${NAME}/pods/${pod}:9808/proxy`;
    assert.equal(await kubectl(['get', '--raw', `${outside}/readyz`]), 'ok\n');
    await assert.rejects(kubectl(['get', '--raw', `${outside}/status.json`]), /only from within the pod/);
    await kubectl(['delete', 'deployment', 'keystone', '--wait=false']);
  });
}

/** Prints the file of each process of the container. */
const PROGRAMS = ['sh', '-c', 'readlink /proc/[0-9]*/exe'];

/** Prints the sidecar's response for that path, using the image's Python. */
function askPython(path: string): string[] {
  const program = `import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:9808${path}').read().decode())`;
  return ['python3', '-c', program];
}
