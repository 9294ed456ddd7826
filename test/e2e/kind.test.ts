/**
 * docs/start/kind.md on a node, word for word, from the directory of a release alone. On this machine stand-ins, by the same
 * names, take the place of
 *
 *   the programs kind, minikube and k3s: they load the image into the node's containerd, as theirs do
 *   Kolla's registry: test/cluster/published-images.ts
 *   the provisioner of volumes: a directory for the claim of MariaDB
 */
import assert from 'node:assert/strict';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { writeRelease } from '../../build/release/index.ts';
import { VERSION } from '../../src/core/version.ts';
import { firstLacking } from '../../tools/capability.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { blocksOf, blocksUnder } from '../docs/page.ts';
import { canUseGatewayApi, gatewayApi } from '../cluster/gateway-api.ts';
import { canBuildInfrastructureImages } from '../cluster/infrastructure-image.ts';
import { canBuildKeystoneImage } from '../cluster/keystone-image.ts';
import { KOLLA_USERS } from '../cluster/kolla-layout.ts';
import { canBuildCoredns, canRunNode, makeClaimVolume, startNode, type KubeNode } from '../cluster/kubernetes/index.ts';
import { canBuildImages, podImages } from '../cluster/pod-images.ts';
import { publishedImages } from '../cluster/published-images.ts';
import { siteOf, type Site } from '../cluster/site.ts';
import { addKinds } from './kind-stand-ins.ts';

const NAMESPACE = 'openstack';
const PAGE = await readFile(new URL('../../docs/start/kind.md', import.meta.url), 'utf8');
const NEEDED = [
  canRunNode,
  canBuildCoredns,
  canRunHelm,
  canBuildImages,
  canBuildKeystoneImage,
  canBuildInfrastructureImages,
];
const skip = await firstLacking(NEEDED);

const blocks = async (heading: string) => await blocksUnder('start/kind', heading);
const noGateway = await canUseGatewayApi();

describe('docs/start/kind.md on a real node', { skip: skip ?? false }, () => {
  let directory: Directory;
  let node: KubeNode;
  let site: Site;
  /** The release's directory. */
  let place: string;
  const run = new Set<string>();
  const started = performance.now();

  before(async () => {
    directory = await privateDirectory('kind');
    place = await writeRelease({
      directory: directory.path,
      images: (await podImages()).filter(({ kind }) => kind === 'install' || kind === 'scratch'),
      compression: 'gzip',
      repository: 'registry.example.com/team/kolla-pod',
      source: { uri: '', commit: 'c'.repeat(40), time: '2026-01-02T03:04:05Z', lockfile: '0' },
      builder: 'urn:kolla-pod:test',
    });
    const globals = await readFile(join(place, 'globals.yml'), 'utf8');
    const [registry, tag] = ['registry', 'tag'].map((name) => new RegExp(`^  ${name}: (.*)$`, 'm').exec(globals)?.[1]);
    node = await startNode({ stored: await publishedImages((name) => `${registry}/${name}:${tag}`), dns: true });
    const claim = { claim: 'data-mariadb-0', uid: KOLLA_USERS['mysql'] ?? 0, storageClass: '' };
    await makeClaimVolume(node, directory.path, { namespace: NAMESPACE, ...claim });
    if (noGateway === undefined)
      await node.kubectl(['apply', '--server-side', '--recursive', '--filename', await gatewayApi()]);
    const own = join(directory.path, 'site');
    await mkdir(own);
    site = await siteOf({ node, own, cwd: place });
    await addKinds(site, node, own);
  });
  after(async () => {
    await node?.[Symbol.asyncDispose]();
    await directory?.[Symbol.asyncDispose]();
  });

  /** Types a block, with the minutes that it took. @returns its output */
  const type = async (block: string): Promise<string> => {
    const start = performance.now();
    const { code, output } = await site.execute(block);
    run.add(block);
    const minutes = ((performance.now() - start) / 60_000).toFixed(1);
    console.log(`${minutes} min: ${block.trimEnd().split('\n').at(-1)}`);
    const wrong = code === 0 ? '' : await node.kubectl(['--namespace', NAMESPACE, 'get', 'pods,jobs,events']);
    assert.equal(code, 0, `${block}${output}\n${wrong}`);
    return output;
  };
  /** Types all blocks of a section. */
  const section = async (heading: string): Promise<string[]> => {
    const outputs: string[] = [];
    for (const block of await blocks(heading)) outputs.push(await type(block));
    return outputs;
  };
  const client = (command: string) =>
    node.kubectl(['--namespace', NAMESPACE, 'exec', 'client', '--', 'openstack', ...command.split(' ')]);
  /** Every object of the namespace that is not made by Kubernetes itself, as KIND/NAME. */
  const objects = async (): Promise<string[]> => {
    const listed = await node.kubectl(['api-resources', '--namespaced', '--verbs=list', '--output=name']);
    const kinds = listed
      .trim()
      .split('\n')
      .filter((kind) => !/^(?:events|pods\.metrics)/.test(kind));
    const found = await node.kubectl(['--namespace', NAMESPACE, 'get', kinds.join(','), '--output=name']);
    return found
      .trim()
      .split('\n')
      .filter((name) => !/^(?:configmap\/kube-root-ca\.crt|serviceaccount\/default)$/.test(name));
  };

  test('three commands install Keystone with MariaDB in a restricted namespace, and helm test passes', async () => {
    await section('Prepare');
    const [install, tested] = await section('Keystone with MariaDB');
    assert.equal(install?.match(/^STATUS: deployed$/gm)?.length, 2);
    assert.match(tested ?? '', /^Phase: +Succeeded$/m);
    console.log(`${((performance.now() - started) / 60_000).toFixed(1)} min from nothing to Keystone`);
    const next = [...(install ?? '').matchAll(/^Next, .+:\n\n {2}(.+)$/gm)].map(([, command = '']) => command);
    assert.equal(next.length, 2);
    const [galera, password] = [await type(next[0] ?? ''), await type(next[1] ?? '')];
    assert.match(galera, /healthy/);
    assert.match(
      await readFile(join(place, 'passwords.yml'), 'utf8'),
      new RegExp(`keystone_admin_password: "${password}"`),
    );
  });

  test('minikube and k3s load the same archive', async () => {
    const outputs = await section('Minikube or k3s instead of kind');
    assert.equal(outputs.length, 2);
    for (const output of outputs) assert.match(output, new RegExp(`/kolla-pod:${VERSION} .*done`));
  });

  test("the admin's client issues a token in its Pod, and Keystone answers on this machine", async () => {
    const [, inPod, outside] = await section('Use it');
    assert.match(inPod ?? '', /^\| id +\| \S{100,} \|$/m);
    assert.match(outside ?? '', /"id": "v3\./);
    assert.equal((await stat(join(place, 'clouds.yaml'))).mode & 0o777, 0o600);
  });

  test("users' URLs are in the catalogue, and the API server accepts an Ingress", async () => {
    const [upgrade, ingress] = await blocks('From outside');
    await type(upgrade ?? '');
    const urls = await client('endpoint list --interface public -f value -c URL');
    assert.equal(urls, 'http://keystone.example.com/v3\n');
    assert.equal(await type(ingress ?? ''), 'ingress.networking.k8s.io/openstack created\n');
  });

  test('the API server accepts a Gateway and its routes', { skip: noGateway ?? false }, async () => {
    const printed = await type((await blocks('From outside')).at(-1) ?? '');
    assert.match(printed, /\/openstack created\n.*\/keystone created\n.*\/horizon created/);
  });

  test('helm uninstall leaves what the page names, and its commands remove all of it', async () => {
    const [uninstall, remove, gateway, end] = await blocks('Remove it');
    await type(uninstall ?? '');
    const kinds = new Set((await objects()).map((name) => name.replace(/[./].*/, '')));
    const named = /get (\S+)$/m.exec(uninstall ?? '')?.[1]?.split(',') ?? [];
    // Of the sections before.
    const own = ['ingress', 'pod', ...(noGateway === undefined ? ['gateway', 'httproute'] : [])];
    assert.deepEqual([...kinds].toSorted(), [...named, ...own].toSorted());
    await type(remove ?? '');
    if (noGateway === undefined) await type(gateway ?? '');
    assert.deepEqual(await objects(), []);
    await type(end ?? '');
  });

  test('every block of the page was run, except those of test/docs/kind.test.ts', async () => {
    const elsewhere = new Set(await blocks('The whole cloud'));
    const isRunHere = (block: string) =>
      !elsewhere.has(block) && (noGateway === undefined || !/\bgateway\b/.test(block));
    const all = blocksOf({ name: '', text: PAGE }).flatMap(({ text }) => (isRunHere(text) ? [text] : []));
    assert.deepEqual(
      all.filter((block) => !run.has(block)),
      [],
    );
  });
});
