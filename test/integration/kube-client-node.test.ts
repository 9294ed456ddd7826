/**
 * Basis of docs/adr/0005-own-watch-loop.md: the same faults for client-node's watch and for ours, on a real API
 * server. Once client-node passes one, its test fails with HOLDS_NOW.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CoreV1Api, KubeConfig, makeInformer, Watch, type Informer, type V1ConfigMap } from '@kubernetes/client-node';
import { connectKube } from '../../src/kube/index.ts';
import { canRunControlPlane, type ControlPlane } from '../cluster/kubernetes/index.ts';
import { passOn, startProxy } from '../cluster/kubernetes/proxy.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { until } from '../support/until.ts';
import { account, follow, last, MAPS, NAMESPACE, QUICK, startWithReader, Table } from './kube-support.ts';

const PATH = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const HOLDS_NOW = 'client-node holds now: docs/adr/0005-own-watch-loop.md can be thought over';

const { version } = JSON.parse(
  readFileSync(new URL('../../node_modules/@kubernetes/client-node/package.json', import.meta.url), 'utf8'),
) as { version: string };

describe(`client-node ${version} and our watch`, { skip: (await canRunControlPlane()) ?? false }, () => {
  const table = new Table(`client-node ${version}'s watch, and ours`);
  let cluster: ControlPlane;
  let token: string;
  before(async () => {
    ({ cluster, token } = await startWithReader());
  });
  after(async () => {
    table.print();
    await cluster[Symbol.asyncDispose]();
  });
  const kubectl = (...args: string[]) => cluster.kubectl([`--namespace=${NAMESPACE}`, ...args]);
  const create = (name: string) => kubectl('create', 'configmap', name, '--from-literal=x=0');
  const change = (name: string) => kubectl('patch', 'configmap', name, '--type=merge', '--patch={"data":{"x":"1"}}');
  const direct = () => account({ port: cluster.apiServer.port, ca: cluster.ca }, token);

  // The other tests finish within the half minute of silence.
  describe('on a stable API server', { concurrency: true }, () => {
    test('an idle watch: client-node ends it after 30 s, ours stays', async () => {
      await create('quiet');
      const config = new KubeConfig();
      config.loadFromFile(cluster.kubeconfig);
      await using there = await direct();
      using client = await connectKube(there.source);
      await using ours = follow(client, 'quiet');
      await ours.until('the object', last('x=0'));
      const began = performance.now();
      const ended = Promise.withResolvers<unknown>();
      // The server ends a watch after a minute, so a watch that lasted this long stayed open.
      const query = { fieldSelector: 'metadata.name=quiet', allowWatchBookmarks: true, timeoutSeconds: 60 };
      const controller = await new Watch(config).watch(PATH, query, () => {}, ended.resolve);
      const reason = await ended.promise;
      controller.abort();
      assert.equal((reason as Error | undefined)?.name, 'TimeoutError', HOLDS_NOW);
      const seconds = Math.round((performance.now() - began) / 1000);
      assert.deepEqual(ours.seen, ['x=0']);
      table.add('nothing happens', `ended after ${seconds} s (bookmarks come each minute) | the same connection stays`);
    });

    test('a throwing handler: client-node swallows the error, ours surfaces it', async (t) => {
      await create('thrown');
      const config = new KubeConfig();
      config.loadFromFile(cluster.kubeconfig);
      let calls = 0;
      const surfaced: unknown[] = [];
      const controller = await new Watch(config).watch(
        PATH,
        { fieldSelector: 'metadata.name=thrown' },
        () => {
          calls++;
          throw new Error('boom');
        },
        (error: unknown) => surfaced.push(error),
      );
      await until('the first event', async () => calls > 0 || undefined);
      await change('thrown');
      await until('the second event', async () => calls > 1 || undefined);
      controller.abort();
      assert.deepEqual(
        surfaced.filter((error) => error instanceof Error && error.message === 'boom'),
        [],
        HOLDS_NOW,
      );
      await using there = await direct();
      using client = await connectKube(there.source, QUICK);
      const watching = async () => {
        for await (const _ of client.watch({ ...MAPS, name: 'thrown' }, { signal: t.signal, warn: () => {} }))
          throw new Error('boom');
      };
      await assert.rejects(watching, /boom/);
      table.add('a handler throws', `swallowed ${calls} times, the events are lost | reaches its caller`);
    });

    test("a 429 with Retry-After: client-node's informer ends, ours retries on time", async () => {
      await create('overload');
      await using proxy = await startProxy(cluster);
      await using directory = await privateDirectory('client-node');
      const file = join(directory.path, 'config');
      await writeFile(file, kubeconfigText(proxy, token));
      const config = new KubeConfig();
      config.loadFromFile(file);
      await using there = await account(proxy, token);
      using client = await connectKube(there.source, QUICK);
      const refused = new Set<string>();
      // The first watch of each client is rejected.
      proxy.serve = async (request, response, forward) => {
        const agent = request.headers['user-agent'] ?? '';
        if (!request.url?.includes('watch=true') || refused.has(agent)) return await passOn(request, response, forward);
        refused.add(agent);
        response.writeHead(429, { 'retry-after': '1' }).end();
      };
      await using ours = follow(client, 'overload');
      await using informer = await startInformer(config, 'overload');
      await until('both to be refused', async () => refused.size === 2 || undefined);
      await until('its end', () => informer.errors.length > 0 || undefined);
      await ours.until('the object', last('x=0'));
      await change('overload');
      await ours.until('the change', last('x=1'));
      assert.deepEqual(informer.seen, ['x=0'], HOLDS_NOW);
      table.add('one 429', `its informer ends: ${informer.errors[0]} | comes back after Retry-After`);
    });
  });

  test("the API server restarts: client-node's informer ends, ours continues", async () => {
    await create('restarted');
    const config = new KubeConfig();
    config.loadFromFile(cluster.kubeconfig);
    await using informer = await startInformer(config, 'restarted');
    await using there = await direct();
    using client = await connectKube(there.source, QUICK);
    await using ours = follow(client, 'restarted');
    await ours.until('the object', last('x=0'));
    await cluster.apiServer.kill();
    await until("the informer's end", () => informer.errors.length > 0 || undefined);
    await cluster.apiServer.start();
    await change('restarted');
    await ours.until('the change', last('x=1'));
    assert.deepEqual(informer.seen, ['x=0'], HOLDS_NOW);
    table.add('the API server restarts', `its informer ends: ${informer.errors[0]} | goes on`);
  });
});

interface Informed extends AsyncDisposable {
  readonly seen: string[];
  readonly errors: string[];
}

/** client-node's informer on one ConfigMap, used as its README says; resolves when it has listed. */
async function startInformer(config: KubeConfig, name: string): Promise<Informed> {
  const api = config.makeApiClient(CoreV1Api);
  const fieldSelector = `metadata.name=${name}`;
  const list = () => api.listNamespacedConfigMap({ namespace: NAMESPACE, fieldSelector });
  const informer: Informer<V1ConfigMap> = makeInformer(config, PATH, list);
  const [seen, errors]: [string[], string[]] = [[], []];
  const tell = (map: V1ConfigMap) => {
    if (map.metadata?.name === name) seen.push(`x=${map.data?.['x']}`);
  };
  informer.on('add', tell);
  informer.on('update', tell);
  informer.on('error', (error: unknown) => void errors.push(error instanceof Error ? error.message : String(error)));
  await informer.start();
  return { seen, errors, [Symbol.asyncDispose]: () => informer.stop() };
}

function kubeconfigText({ port, ca }: { readonly port: number; readonly ca: string }, token: string): string {
  const server = `https://127.0.0.1:${port}`;
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}
