/** kolla-pod as an image volume, on a node whose containerd mounts them: k8s/examples/install, and a chart's Pod. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { VERSION } from '../../src/core/version.ts';
import { rendering } from '../charts/support.ts';
import { canBuildKeystoneImage } from '../cluster/keystone-image.ts';
import { CONTAINERD_VERSION } from '../cluster/kubernetes/version.ts';
import { canMountImages, startNode, type KubeNode } from '../cluster/kubernetes/index.ts';
import { canBuildImages, podImages, unmodifiedKeystone } from '../cluster/pod-images.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { until } from '../support/until.ts';
import { SMALL, valuesOf } from './copied-chart.ts';

const EXAMPLES = new URL('../../k8s/examples/', import.meta.url).pathname;
const NAMESPACE = 'keystone';
const skip =
  (await canMountImages()) ??
  (await canBuildImages()) ??
  (await canBuildKeystoneImage()) ??
  (await canRunHelm()) ??
  false;

describe(`containerd ${CONTAINERD_VERSION} mounts image volumes`, { skip }, () => {
  let node: KubeNode;
  let directory: Directory;
  const kubectl = (args: readonly string[], input?: string) =>
    node.kubectl([`--namespace=${NAMESPACE}`, ...args], input);

  before(async () => {
    directory = await privateDirectory('image-volume');
    const keystone = join(directory.path, 'keystone.tar');
    await unmodifiedKeystone(keystone, 'your/keystone:1');
    const own = (await podImages()).filter(({ kind }) => kind !== 'operator');
    node = await startNode({ images: [keystone, ...own.map(({ file }) => file)], containerd: 2 });
    // A namespace that enforces `restricted`.
    await node.kubectl(['apply', '--filename=-'], await readFile(join(EXAMPLES, 'keystone/namespace.yaml'), 'utf8'));
    await until('the default ServiceAccount', async () => {
      return (await kubectl(['get', 'serviceaccount', '--output=name'])).includes('default') || undefined;
    });
  });
  after(async () => {
    await node?.[Symbol.asyncDispose]();
    await directory?.[Symbol.asyncDispose]();
  });

  test('the node runs it', async () => {
    const path = '--output=jsonpath={.items[*].status.nodeInfo.containerRuntimeVersion}';
    const version = await node.kubectl(['get', 'nodes', path]);
    // Built from the module, it has no commit.
    assert.equal(version.replace('//v', '//').replace(/\+unknown$/, ''), `containerd://${CONTAINERD_VERSION}`);
  });

  test('the binary of the image without libc runs in an unmodified image, without a copy', async () => {
    await kubectl(['apply', '--filename=-'], await readFile(join(EXAMPLES, 'install/image-volume.yaml'), 'utf8'));
    await kubectl(['wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/image-volume', '--timeout=-1s']);
    assert.equal(await kubectl(['logs', 'pod/image-volume']), `kolla-init ${VERSION} (kolla-core)\n`);
  });

  test("a chart's Pod with delivery: imageVolume installs its configuration and passes its probes", async () => {
    await using chart = await rendering('small', SMALL);
    const { all } = await chart.render(valuesOf('api', 'resident', {}, 'imageVolume'));
    const items = all.map((object) => ({ ...object, metadata: { ...object.metadata, namespace: NAMESPACE } }));
    await kubectl(['apply', '--filename=-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    await kubectl(['wait', '--for=condition=Available', 'deployment/small-api', '--timeout=-1s']);
    const script = 'command -v sudo; cat /etc/keystone/small.conf; touch /opt/kolla-pod/x 2>&1 || true';
    const said = await kubectl(['exec', 'deployment/small-api', '--container=small-api', '--', 'bash', '-c', script]);
    const [sudo, content, refused] = said.trim().split('\n');
    assert.equal(sudo, '/opt/kolla-pod/rootless-bin/sudo');
    assert.equal(content, 'password = of-small-database-password');
    assert.match(refused ?? '', /Read-only file system/);
  });
});
