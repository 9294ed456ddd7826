/** kolla-probe serve as a process: it starts none, holds no more than it did, and leaves Events on a real API server. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { growthOf } from '../../bench/soak/growth.ts';
import { startProbedPod } from '../../bench/soak/probed-pod.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { namespaceName, sharedControlPlane, type SharedControlPlane } from '../servers/index.ts';
import { privateFolder } from '../../tools/folder.ts';
import { runHelper, startHelper } from '../support/helper.ts';
import { run } from '../../tools/process.ts';
import { listenHttp } from '../support/server.ts';
import { until } from '../support/until.ts';
const ROUNDS = 100;

test('twenty checks at once hold no more after some seconds than before, and answer every request', async () => {
  await using pod = await startProbedPod('200ms');
  await growthOf(pod, 2);
  const seen = await growthOf(pod, 4);
  assert.equal(seen.bad, 0);
  assert.ok(seen.answers >= 5);
  assert.ok(seen.descriptors[1] <= seen.descriptors[0] + 4, `descriptors ${seen.descriptors.join(' and then ')}`);
  assert.ok(seen.threads[1] <= seen.threads[0], `threads ${seen.threads.join(' and then ')}`);
});

test(
  'a hundred probes and a hundred rounds of checks start no process',
  { skip: (await canTrace()) ?? false },
  async () => {
    await using folder = await privateFolder('traced');
    const file = join(folder.path, 'trace');
    await using pod = await startProbedPod('500ms', { strace: 'strace', file });
    for (let i = 0; i < ROUNDS; i++) assert.equal(await pod.ask(i % 2 === 0 ? '/readyz' : '/livez'), 200);
    const asked = async () => {
      const { body } = await page(pod.port, '/metrics');
      const counts = [...body.matchAll(/^kolla_probe_check_duration_seconds_count\S+ (\d+)$/gm)].map(([, n]) =>
        Number(n),
      );
      return counts.reduce((sum, n) => sum + n, 0);
    };
    await until(`${ROUNDS} rounds of local checks`, async () => ((await asked()) >= ROUNDS ? true : undefined));
    const calls = readFileSync(file, 'utf8');
    // Its own start is one, so the trace is one.
    assert.deepEqual(
      [...calls.matchAll(/execve\(.*/g)].map(([call]) => /execve\("([^"]+)"/.exec(call)?.[1]),
      [process.execPath],
    );
    assert.doesNotMatch(calls, /\bv?fork\(/);
  },
);

async function canTrace(): Promise<string | undefined> {
  const tried = await run('strace', ['-f', '-o', '/dev/null', 'true']).catch(() => undefined);
  return tried?.code === 0 ? undefined : 'no strace that may trace';
}

async function page(port: number, path: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, body: await response.text() };
}

interface Event {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly regarding: { readonly name: string; readonly uid: string };
}

const NAMESPACE = namespaceName('openstack');

describe('Events', { skip: (await canRunControlPlane()) ?? false }, () => {
  let cluster: SharedControlPlane;
  let uid: string;
  const kubectl = (args: readonly string[], input?: string) =>
    cluster.kubectl([`--namespace=${NAMESPACE}`, ...args], input);

  before(async () => {
    cluster = await sharedControlPlane();
    await cluster.createNamespace(NAMESPACE);
    for (const name of ['teller', 'nobody']) await kubectl(['create', 'serviceaccount', name]);
    const { stdout } = await runHelper('kolla-probe', ['rbac', '-n', NAMESPACE, '--service-account', 'teller']);
    await kubectl(['apply', '--filename=-'], stdout);
    // The API server reads its Roles a moment later.
    const can = ['auth', 'can-i', 'create', 'events.events.k8s.io', `--as=system:serviceaccount:${NAMESPACE}:teller`];
    await until('the Role to hold', async () => (await kubectl(can).catch(() => undefined)) && true);
    const spec = { containers: [{ name: 'main', image: 'none' }] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'keystone-0' }, spec };
    await kubectl(['apply', '--filename=-'], JSON.stringify(pod));
    uid = (await kubectl(['get', 'pod', 'keystone-0', '--output=jsonpath={.metadata.uid}'])).trim();
  });
  after(() => cluster[Symbol.asyncDispose]());

  const events = async (): Promise<Event[]> => {
    const found = await kubectl(['get', 'events.events.k8s.io', '--output=json']);
    return (JSON.parse(found) as { items: Event[] }).items.filter(({ reason }) => reason.startsWith('Check'));
  };

  /** One check, whose answer the test sets. */
  async function serving(account: string) {
    await using stack = new AsyncDisposableStack();
    const told = { code: 200 };
    const folder = stack.use(await privateFolder('events'));
    const service = stack.use(await listenHttp((_, response) => void response.writeHead(told.code).end()));
    const config = join(folder.path, 'kolla-pod.yaml');
    const api = { run: `http http://127.0.0.1:${service.port}/`, period: '300ms', timeout: '250ms', failures: 2 };
    await writeFile(config, JSON.stringify({ checks: { api } }));
    const env = { POD_NAME: 'keystone-0', POD_UID: uid, KUBECONFIG: await cluster.kubeconfigOf(NAMESPACE, account) };
    const args = ['serve', '--config', config, '--listen', '127.0.0.1:0', '--door-file', join(folder.path, 'door')];
    const running = stack.use(await startHelper('kolla-probe', args, { env, keepOutput: true }));
    let said = '';
    running.child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    const saying = (what: RegExp) => until(`${what} to be said`, async () => (what.test(said) ? true : undefined));
    await saying(/api is healthy/);
    const kept = stack.move();
    return { told, said: () => said, saying, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  }

  test('each change is one Event on the own Pod, with its reason', async () => {
    await using serve = await serving('teller');
    const become = async (code: number, count: number) => {
      serve.told.code = code;
      await until(`${count} Events`, async (saw) => {
        saw(serve.said());
        return (await events()).length >= count || undefined;
      });
    };
    await become(503, 1);
    await become(200, 2);
    const all = await events();
    const seen = all.map(({ type, reason, note, regarding }) => [
      type,
      reason,
      note.split(';')[0],
      regarding.name,
      regarding.uid,
    ]);
    assert.deepEqual(
      seen.toSorted((a, b) => String(b[0]).localeCompare(String(a[0]))),
      [
        ['Warning', 'CheckUnhealthy', 'api is unhealthy: status 503', 'keystone-0', uid],
        ['Normal', 'CheckHealthy', 'api is healthy: status 200', 'keystone-0', uid],
      ],
    );
    assert.match(
      await kubectl(['describe', 'pod', 'keystone-0']),
      /Warning +CheckUnhealthy .*kolla-probe.*api is unhealthy: status 503; it had been healthy for/,
    );
  });

  test('who may not leave them is told once, and serves on', async () => {
    await using serve = await serving('nobody');
    const earlier = (await events()).length;
    for (const code of [503, 200, 503]) {
      serve.told.code = code;
      await serve.saying(code === 200 ? /api is healthy: status 200; it had been unhealthy/ : /api is unhealthy/);
    }
    await serve.saying(/no Events on Pod keystone-0: .*cannot create resource .*events.*kolla-probe rbac/);
    assert.equal(serve.said().match(/no Events on Pod/g)?.length, 1);
    assert.equal((await events()).length, earlier);
  });
});
