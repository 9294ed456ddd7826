import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { VERSION } from '../../src/core/version.ts';
import { canBuildKeystoneImage } from '../cluster/keystone-image.ts';
import { canRunNode, startNode, type KubeNode } from '../cluster/kubernetes/index.ts';
import { canBuildImages, podImages, unmodifiedKeystone } from '../cluster/pod-images.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { until } from '../support/until.ts';
import { copiedChartTests } from './copied-chart.ts';

const EXAMPLES = new URL('../../k8s/examples/', import.meta.url).pathname;
const skip = (await canRunNode()) ?? (await canBuildImages()) ?? (await canBuildKeystoneImage()) ?? false;

describe('an unmodified image on a real node', { skip }, () => {
  let node: KubeNode;
  let directory: Directory;
  const kubectl = (args: readonly string[], input?: string) => node.kubectl(['--namespace=keystone', ...args], input);
  const example = async (name: string) => await readFile(join(EXAMPLES, 'install', `${name}.yaml`), 'utf8');

  before(async () => {
    directory = await privateDirectory('install');
    const keystone = join(directory.path, 'keystone.tar');
    await unmodifiedKeystone(keystone, 'your/keystone:1');
    const own = (await podImages()).filter(({ kind }) => kind !== 'operator');
    node = await startNode({ images: [keystone, ...own.map(({ file }) => file)] });
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

  test('an init container under restricted delivers the binary, and it runs', async () => {
    await kubectl(['apply', '--filename=-'], await example('copied'));
    await kubectl(['wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/copied', '--timeout=-1s']);
    assert.equal(await kubectl(['logs', 'copied', '--container=keystone']), `kolla-init ${VERSION} (kolla-core)\n`);
    assert.match(await kubectl(['logs', 'copied', '--container=kolla-pod']), /"msg":"installed"/);
  });

  copiedChartTests(() => node, 'keystone');

  test("containerd before 2.1 mounts no image volume: the kubelet's message is the one that the page explains", async () => {
    await kubectl(['apply', '--filename=-'], await example('image-volume'));
    const message = await until('the container to be refused', async (saw) => {
      const said = await kubectl([
        'get',
        'pod/image-volume',
        '--output=jsonpath={.status.containerStatuses[*].state.waiting}',
      ]);
      saw(said);
      return said.includes('mkdir') ? said : undefined;
    });
    const page = await readFile(join(EXAMPLES, '../../docs/how-to/images.md'), 'utf8');
    const [, explained] = /`(failed to mkdir [^`]*)`/.exec(page) ?? [];
    assert.ok(
      explained !== undefined && (JSON.parse(message) as { message: string }).message.includes(explained),
      message,
    );
  });
});
