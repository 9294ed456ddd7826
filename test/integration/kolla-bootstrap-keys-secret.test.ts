/** Secrets with keys on a real API server: who may write them, which ones are adopted, rejected or left alone. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connectKube, type KubeClient } from '../../src/kube/index.ts';
import { newKey } from '../../src/provision/keys/ring.ts';
import { kubeconfigText } from '../cluster/kubernetes/credentials.ts';
import { startProxy } from '../cluster/kubernetes/proxy.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { namespaceName, sharedControlPlane, type SharedControlPlane } from '../servers/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { logLines } from '../support/helper.ts';
import type { Finished } from '../../tools/process.ts';
import { AT_ONCE, FERNET, keysOf, runKeys } from './kolla-bootstrap-keys-support.ts';
import { untilAllowed } from './kolla-db-sync-lease-support.ts';

const skip = (await canRunControlPlane()) ?? false;
const EMPTY = ['create', 'secret', 'generic', FERNET];

function said({ stderr }: Finished): string {
  return logLines(stderr)
    .map(({ msg }) => msg)
    .join('\n');
}

describe('Secrets with keys, on a real API server', { skip, concurrency: 3 }, () => {
  const stack = new AsyncDisposableStack();
  let cluster: SharedControlPlane;
  let admin: KubeClient;
  /** A namespace of its own. */
  const newNamespace = async () => {
    const namespace = namespaceName('ns');
    await cluster.createNamespace(namespace);
    return {
      namespace,
      kubectl: (words: readonly string[], input?: string) =>
        cluster.kubectl([`--namespace=${namespace}`, ...words], input),
      run: (words: readonly string[], env: NodeJS.ProcessEnv = {}) =>
        runKeys(cluster, words, { KOLLA_BOOTSTRAP_NAMESPACE: namespace, ...env }),
      keys: () => keysOf(cluster, FERNET, namespace),
      /** Waits until a ServiceAccount may do this with the Secret. */
      allowed: (name: string, verb: string) =>
        untilAllowed(admin, { name, namespace }, { verb, group: '', resource: 'secrets', name: FERNET }),
    };
  };

  before(async () => {
    cluster = stack.use(await sharedControlPlane());
    admin = stack.use(await connectKube({ kind: 'kubeconfig', files: [cluster.kubeconfig] }));
  });
  after(() => stack.disposeAsync());

  test('the printed Role is enough to create, rotate and show; without it the error has the Role to apply', async () => {
    const { namespace, kubectl, run, keys, allowed } = await newNamespace();
    await kubectl(['create', 'serviceaccount', 'rotator']);
    const KUBECONFIG = await cluster.kubeconfigOf(namespace, 'rotator');
    const refused = await run(['create', 'keystone', 'fernet'], { KUBECONFIG });
    assert.equal(refused.code, 77, refused.stderr);
    assert.match(
      said(refused),
      /cannot get resource "secrets".*to allow it, apply this with kubectl apply -f -:\n[^]*kind: Role\n/,
    );
    const printed = await run(['rbac', 'keystone', '-n', namespace, '--service-account', 'rotator']);
    await kubectl(['apply', '--filename=-'], printed.stdout);
    for (const verb of ['create', 'get', 'update']) await allowed('rotator', verb);
    for (const words of [['create'], ['rotate'], ['status']]) {
      const finished = await run([...words, 'keystone', 'fernet', ...AT_ONCE], { KUBECONFIG });
      assert.equal(finished.code, 0, finished.stderr);
    }
    assert.deepEqual(Object.keys((await keys()).keys), ['0', '1', '2']);
    const can = (what: string) =>
      kubectl(['auth', 'can-i', ...what.split(' '), `--as=system:serviceaccount:${namespace}:rotator`]).then(
        (text) => text.trim(),
        () => 'no',
      );
    assert.deepEqual(
      [await can('get secret/other'), await can('delete secret/keystone-fernet-keys'), await can('list secrets')],
      ['no', 'no', 'no'],
    );
  });

  test('a Role with read but no write permission fails at the write', async () => {
    const { namespace, kubectl, run, allowed } = await newNamespace();
    await kubectl(['create', 'serviceaccount', 'reader']);
    await kubectl(['create', 'role', 'reader', '--verb=get', '--resource=secrets']);
    await kubectl(['create', 'rolebinding', 'reader', '--role=reader', `--serviceaccount=${namespace}:reader`]);
    await allowed('reader', 'get');
    const refused = await run(['create', 'keystone', 'fernet'], {
      KUBECONFIG: await cluster.kubeconfigOf(namespace, 'reader'),
    });
    assert.equal(refused.code, 77, refused.stderr);
    assert.match(said(refused), /cannot create resource "secrets"/);
  });

  test('adopts keys that another tool keeps in the Secret: the primary stays, and so do other entries', async () => {
    const { kubectl, run, keys } = await newNamespace();
    const [zero, one, two] = [newKey(), newKey(), newKey()];
    await kubectl([
      ...EMPTY,
      ...[zero, one, two].map((key, id) => `--from-literal=${id}=${key}`),
      '--from-literal=note=mine',
    ]);
    const status = await run(['status', 'keystone', 'fernet']);
    assert.equal(status.code, 0, status.stderr);
    assert.match(status.stdout, /^fernet  \S+  0 1 2  2        unknown  in 1[0-5]m/m);
    assert.equal((await run(['create', 'keystone', 'fernet'])).code, 0);
    // It is unknown which replicas have read the Secret, so the last change counts.
    assert.match(said(await run(['rotate', 'keystone', 'fernet'])), /nothing to do: it was changed/);
    assert.deepEqual((await keys()).keys, { 0: zero, 1: one, 2: two, note: 'mine' });
    const rotated = await run(['rotate', 'keystone', 'fernet', ...AT_ONCE]);
    assert.match(said(rotated), /key 1 is kept: its tokens may be valid until/);
    const now = (await keys()).keys;
    assert.deepEqual([now['1'], now['2'], now['3'], now['note']], [one, two, zero, 'mine']);
    assert.ok(![zero, one, two].includes(now['0']!));
  });

  test('fills an empty Secret; leaves one with an invalid key unchanged', async () => {
    const { kubectl, run, keys } = await newNamespace();
    await kubectl(EMPTY);
    const early = await run(['rotate', 'keystone', 'fernet']);
    assert.equal(early.code, 65);
    assert.match(said(early), /contains no keys: create them with kolla-bootstrap keys create/);
    assert.equal((await run(['status', 'keystone', 'fernet'])).code, 1);
    assert.equal((await run(['create', 'keystone', 'fernet'])).code, 0);
    assert.deepEqual(Object.keys((await keys()).keys), ['0', '1']);
    await kubectl(['patch', 'secret', FERNET, '--patch={"stringData":{"1":"of-somebody"}}']);
    const was = await keys();
    for (const action of ['create', 'rotate', 'status']) {
      const wrong = await run([action, 'keystone', 'fernet', ...AT_ONCE]);
      assert.equal(wrong.code, 65, wrong.stderr);
      assert.match(said(wrong), /keystone-fernet-keys: entry 1 is not a Fernet key/);
      assert.ok(!wrong.stderr.includes('of-somebody'));
    }
    assert.deepEqual(await keys(), was);
  });

  test('reports an immutable Secret', async () => {
    const { kubectl, run } = await newNamespace();
    await run(['create', 'keystone', 'fernet']);
    await kubectl(['patch', 'secret', FERNET, '--patch={"immutable":true}']);
    const finished = await run(['rotate', 'keystone', 'fernet', ...AT_ONCE]);
    assert.equal(finished.code, 69, finished.stderr);
    assert.match(said(finished), /immutable/);
  });

  test('a lost response is not a failure: one rotation, and the run reports it', async () => {
    const { run, keys, kubectl, namespace, allowed } = await newNamespace();
    await run(['create', 'keystone', 'fernet']);
    const was = await keys();
    await using proxy = await startProxy(cluster);
    let lost = 0;
    proxy.serve = async ({ method }, response, forward) => {
      const answer = await forward();
      if (method === 'PUT' && lost++ === 0) return void response.destroy();
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    };
    await using directory = await privateDirectory('kube');
    const KUBECONFIG = join(directory.path, 'config');
    await writeFile(KUBECONFIG, await asOwner(kubectl, namespace, `https://127.0.0.1:${proxy.port}`, proxy.ca));
    await allowed('owner', 'update');
    const finished = await run(['rotate', 'keystone', 'fernet', ...AT_ONCE], { KUBECONFIG });
    assert.equal(finished.code, 0, finished.stderr);
    assert.match(said(finished), /cannot write Secret .*; reading again\n.*: rotated: 0 \(staged\), 1, 2 \(primary\)$/);
    assert.equal((await keys()).keys['2'], was.keys['0']);
  });

  test('waits for an unavailable API server until the deadline, and reports it', async () => {
    const { namespace } = await newNamespace();
    await using directory = await privateDirectory('kube');
    const KUBECONFIG = join(directory.path, 'config');
    await writeFile(KUBECONFIG, kubeconfigText('https://127.0.0.1:1', cluster.ca, { token: 'none' }, namespace));
    const finished = await runKeys(cluster, ['create', 'keystone', '--timeout', '30s'], {
      KUBECONFIG,
      KOLLA_BOOTSTRAP_NAMESPACE: namespace,
    });
    assert.equal(finished.code, 75, finished.stderr);
    assert.match(
      said(finished),
      /waiting for the API server at https:.*ECONNREFUSED[^]*\ncould not read Secret ns-\d+\/keystone-fernet-keys within 30s; last state of the API server/,
    );
  });
});

/** A kubeconfig for that address, with an account that may do everything in the namespace. */
async function asOwner(
  kubectl: (words: readonly string[]) => Promise<string>,
  namespace: string,
  server: string,
  ca: string,
): Promise<string> {
  await kubectl(['create', 'serviceaccount', 'owner']);
  await kubectl(['create', 'rolebinding', 'owner', '--clusterrole=admin', `--serviceaccount=${namespace}:owner`]);
  const token = await kubectl(['create', 'token', 'owner', '--duration=1h']);
  return kubeconfigText(server, ca, { token: token.trim() }, namespace);
}
