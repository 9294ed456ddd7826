/**
 * A site's way from a release to a running service, by the commands of docs/how-to/releases.md and operator.md and without
 * this repository: a registry in the node's network, publish.sh, `helm install oci://`, and the node's containerd pulls;
 * then the same service by kolla-operator.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { writeRelease } from '../../build/release/index.ts';
import { readSigner } from '../../build/release/key.ts';
import { VERSION } from '../../src/core/version.ts';
import { firstLacking } from '../../tools/capability.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { canRunHelm, helm, helmBinary } from '../../tools/helm.ts';
import { must } from '../../tools/process.ts';
import { canBuildInfrastructureImages, infrastructureImage } from '../cluster/infrastructure-image.ts';
import { canBuildCoredns, canRunNode, kubectlBinary, startNode, type KubeNode } from '../cluster/kubernetes/index.ts';
import { podBinary } from '../cluster/pod-binary.ts';
import { canBuildImages, podImages } from '../cluster/pod-images.ts';
import { canRunRegistry, skopeoFor, startRegistry, type Registry } from '../cluster/registry.ts';
import { examplesOf } from '../docs/examples.ts';
import { commandOf, EXAMPLE, printedBy } from '../cluster/release-page.ts';

/** The address of the registry in the node's network. */
const PORT = 5000;
/** The name of the images for the node. */
const TARGET = `127.0.0.1:${PORT}/team/kolla-pod`;
const NAMESPACE = 'openstack';
const OPERATOR = 'app.kubernetes.io/name=kolla-operator';
const ACCOUNT = `system:serviceaccount:${NAMESPACE}:kolla-operator`;
const NEEDED = [canRunNode, canBuildCoredns, canBuildImages, canBuildInfrastructureImages, canRunRegistry, canRunHelm];
const skip = await firstLacking(NEEDED);

describe('from a release to a service on a real node', { skip: skip ?? false }, () => {
  let directory: Directory;
  let node: KubeNode;
  let registry: Registry;
  let place: string;
  const kubectl = (...args: string[]) => node.kubectl([`--namespace=${NAMESPACE}`, ...args]);
  const digestOf = async (tag: string) => {
    const response = await fetch(`http://${registry.address}/v2/team/kolla-pod/manifests/${tag}`, {
      method: 'HEAD',
      headers: { accept: 'application/vnd.oci.image.index.v1+json' },
    });
    return response.headers.get('docker-content-digest');
  };

  before(async () => {
    directory = await privateDirectory('release');
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const secret = join(directory.path, 'secret.pem');
    await writeFile(secret, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await writeFile(join(directory.path, 'cosign.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
    place = await writeRelease({
      directory: directory.path,
      images: await podImages(),
      compression: 'gzip',
      repository: 'localhost/kolla-pod',
      source: { uri: '', commit: 'c'.repeat(40), time: '2026-01-02T03:04:05Z', lockfile: '0' },
      builder: 'urn:kolla-pod:test',
      signer: await readSigner(secret, ''),
    });
    // The image of the service belongs to the site; kolla-pod comes only from the registry.
    const memcached = join(directory.path, 'memcached.tar');
    const { binary } = await podBinary();
    await infrastructureImage('memcached', memcached, { binary, reference: 'site.example/kolla/memcached:1' });
    node = await startNode({ images: [memcached], dns: true });
    registry = await startRegistry(node, PORT);
    await writeFile(join(directory.path, 'kubectl'), `#!/bin/sh\nexec '${await kubectlBinary()}' "$@"\n`, {
      mode: 0o755,
    });
    await node.kubectl(['create', 'namespace', NAMESPACE]);
    await node.kubectl(['label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/enforce=restricted']);
  });
  after(async () => {
    await registry?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
    await directory?.[Symbol.asyncDispose]();
  });

  /** Runs commands in the release's directory. @param changes what differs on this machine, as pairs of texts */
  const runBlock = async (
    text: string,
    changes: readonly (readonly [string, string])[],
    block = commandOf(text),
  ): Promise<string> => {
    const script = changes.reduce((all, [from, to]) => all.replaceAll(from, to), block);
    const env = {
      PATH: `${directory.path}:${dirname(await helmBinary())}:${process.env['PATH']}`,
      HOME: directory.path,
      KUBECONFIG: node.kubeconfig,
      SKOPEO: await skopeoFor(directory.path, [registry.address]),
    };
    return await must('bash', ['-euo', 'pipefail', '-c', script], { cwd: place, env });
  };
  const here = () => registry.address;

  test('publish.sh fills the registry', async () => {
    const said = await runBlock('./publish.sh', [
      ['registry.example.com', here()],
      ['/etc/kolla-pod', directory.path],
    ]);
    assert.match(said, printedBy('./publish.sh'));
  });

  test('a chart is installed from the registry, and the node pulls kolla-pod from it', async () => {
    await writeFile(join(place, 'passwords.yml'), 'global: { passwords: {} }\n');
    const said = await runBlock('helm install', [
      [`reference=${EXAMPLE}`, `reference=${TARGET}`],
      ['registry.example.com', here()],
      [
        '--namespace',
        '--plain-http --set-string global.registry=site.example/kolla,global.tag=1 --wait --timeout 5m --namespace',
      ],
    ]);
    assert.match(said, printedBy('helm install'));
    const pod = JSON.parse(await kubectl('get', 'pod', 'memcached-0', '--output=json')) as {
      status: { initContainerStatuses: { name: string; imageID: string }[] };
    };
    assert.equal(
      pod.status.initContainerStatuses.find(({ name }) => name === 'kolla-pod')?.imageID,
      `${TARGET}@${await digestOf(VERSION)}`,
    );
  });

  test('helm test asks the service, from our own image', async () => {
    const said = await runBlock('helm test', []);
    assert.match(said, printedBy('helm test'));
    assert.match(said, /POD LOGS: memcached-test[^]*tcp:\/\/memcached:11211/);
  });

  test('the service runs with the helpers of the release', async () => {
    const run = async (...words: string[]) =>
      await kubectl('exec', 'memcached-0', '--container=memcached', '--', ...words);
    assert.equal(await run('/opt/kolla-pod/bin/kolla-init', '--version'), `kolla-init ${VERSION} (kolla-core)\n`);
    await run('/opt/kolla-pod/bin/kolla-probe', 'memcached', '127.0.0.1:11211');
    await assert.rejects(run('/opt/kolla-pod/bin/kolla-probe', 'memcached', '127.0.0.1:1'), /refused/);
  });

  test("the operator runs from the release's manifest and the registry's image, in a restricted namespace", async () => {
    const said = await runBlock('operator/crds', [
      ['kubectl create namespace openstack\n', ''],
      [EXAMPLE, TARGET],
    ]);
    assert.match(said, printedBy('operator/crds'));
    const { items } = JSON.parse(await kubectl('get', 'pods', '--selector', OPERATOR, '--output=json')) as {
      items: { status: { containerStatuses: { imageID: string }[] } }[];
    };
    const image = `${TARGET}@${await digestOf(`${VERSION}-operator`)}`;
    assert.deepEqual(
      items.map(({ status }) => status.containerStatuses.map(({ imageID }) => imageID)),
      [[image], [image]],
    );
  });

  test('its Pods have the permissions that kolla-operator rbac prints, and no others', async () => {
    const printed = JSON.parse(
      await kubectl('exec', 'deployment/kolla-operator', '--', 'kolla-operator', 'rbac', '-n', NAMESPACE, '-o', 'json'),
    ) as { items: { kind: string; rules?: Rule[] }[] };
    const everybody = new Set(verbsOf(await rulesOf('default')));
    // What every client may ask about itself, and every ServiceAccount about the policy (policy.yaml).
    const ofPolicy = String.raw`get admissionregistration\.k8s\.io/validatingadmissionpolic(?:ies|ybindings) kolla-operator$`;
    const expected = new RegExp(`^(?:create auth(?:entication|orization)\\.k8s\\.io/self|${ofPolicy})`);
    for (const verb of everybody) assert.match(verb, expected);
    const granted = verbsOf(await rulesOf(NAMESPACE)).filter((verb) => !everybody.has(verb));
    const stated = verbsOf(printed.items.flatMap(({ rules = [] }) => rules));
    assert.ok(stated.length > 0);
    assert.deepEqual(granted, stated);
  });

  test('it installs a service from an object', async () => {
    await helm(directory.path, ['uninstall', 'memcached', `--namespace=${NAMESPACE}`, '--wait'], node.kubeconfig);
    const global = { registry: 'site.example/kolla', kollaPod: { image: { reference: `${TARGET}:${VERSION}` } } };
    const service = {
      apiVersion: 'kolla-pod.io/v1alpha1',
      kind: 'OpenStackService',
      metadata: { name: 'memcached', namespace: NAMESPACE },
      spec: { tag: '1', values: { global } },
    };
    await node.kubectl(['create', '--filename=-'], JSON.stringify(service));
    await kubectl('wait', '--for=condition=Ready', 'openstackservice/memcached', '--timeout=-1s');
    const listed = await helm(directory.path, ['list', `--namespace=${NAMESPACE}`, '--output=json'], node.kubeconfig);
    const [release, ...others] = JSON.parse(listed.stdout) as { name: string; status: string; chart: string }[];
    assert.deepEqual(
      [release?.name, release?.status, release?.chart],
      ['memcached', 'deployed', `memcached-${VERSION}`],
    );
    assert.deepEqual(others, []);
    await kubectl(
      'exec',
      'memcached-0',
      '--container=memcached',
      '--',
      '/opt/kolla-pod/bin/kolla-probe',
      'memcached',
      '127.0.0.1:11211',
    );
  });

  test("README's two commands lead from the release to a service", async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const block = examplesOf(readme).find(({ script }) => script.includes('./publish.sh'))?.script;
    assert.equal(block?.match(/^\S/gm)?.length, 2, 'README has the two commands');
    const said = await runBlock(
      './publish.sh',
      [
        [`reference=${EXAMPLE}`, `reference=${TARGET}`],
        ['registry.example.com', here()],
        [
          'helm install memcached',
          'helm install memcached --plain-http --set-string global.registry=site.example/kolla,global.tag=1 --wait --timeout 5m',
        ],
      ],
      block,
    );
    assert.match(said, /STATUS: deployed/);
    assert.match(await node.kubectl(['get', 'pod', 'memcached-0']), /Running/);
  });

  /** The rules that the API server applies to the operator's account. */
  async function rulesOf(namespace: string): Promise<Rule[]> {
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } };
    const answer = await node.kubectl(
      ['create', '--as', ACCOUNT, '--validate=false', '--filename=-', '--output=json'],
      JSON.stringify(review),
    );
    return (JSON.parse(answer) as { status: { resourceRules: Rule[] } }).status.resourceRules;
  }
});

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** One text for each verb on each resource, sorted. */
function verbsOf(rules: readonly Rule[]): string[] {
  const all = rules.flatMap(({ apiGroups, resources, resourceNames = ['*'], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) => resourceNames.map((name) => `${verb} ${group}/${resource} ${name}`)),
      ),
    ),
  );
  return [...new Set(all)].toSorted();
}
