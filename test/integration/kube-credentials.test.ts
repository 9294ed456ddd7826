import assert from 'node:assert/strict';
import { sign } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { NotPermittedError } from '../../src/core/errors.ts';
import type { KubeClient, SetRef } from '../../src/kube/index.ts';
import { connectKube, testOnNode } from '../cluster/kube-on-core.ts';
import { makeAuthority } from '../cluster/authority.ts';
import { canRunControlPlane, type ControlPlane } from '../cluster/kubernetes/index.ts';
import { passOn, startProxy } from '../cluster/kubernetes/proxy.ts';
import { privateDirectory } from '../../tools/directory.ts';
import {
  account,
  follow,
  followSet,
  last,
  MAPS,
  NAMESPACE,
  QUICK,
  serviceAccount,
  startWithReader,
  Table,
} from './kube-support.ts';
import { until } from '../support/until.ts';

describe('credentials for the API server', { skip: (await canRunControlPlane()) ?? false }, () => {
  const table = new Table('credentials and permissions');
  let cluster: ControlPlane;
  let token: string;
  before(async () => {
    ({ cluster, token } = await startWithReader());
    for (const name of ['one', 'two']) await kubectl('create', 'configmap', name, '--from-literal=x=0');
  });
  after(async () => {
    table.print();
    await cluster[Symbol.asyncDispose]();
  });
  const kubectl = (...args: string[]) => cluster.kubectl([`--namespace=${NAMESPACE}`, ...args]);
  const direct = (bearer: string, ca = cluster.ca) => account({ port: cluster.apiServer.port, ca }, bearer);

  test('an expired token is replaced at once when the file has a new one, silently', async () => {
    await using proxy = await startProxy(cluster);
    await using there = await account(proxy, await expired(cluster, token));
    const statuses: number[] = [];
    proxy.serve = (request, response, forward) =>
      passOn(request, response, async () => {
        const answer = await forward();
        statuses.push(answer.statusCode ?? 0);
        // As the kubelet may do, writes the new token a moment after the old one has expired.
        if (answer.statusCode === 401) await there.write('token', token);
        return answer;
      });
    using client = await connectKube(there.source, QUICK);
    await using object = follow(client, 'one');
    await object.until('the object', last('x=0'));
    assert.deepEqual(statuses, [401, 200]);
    assert.deepEqual(object.seen, ['x=0']);
    table.add('an expired token, a new one in the file', '401, then 200 by the new one; nothing was told');
  });

  test('the token of a deleted ServiceAccount is reported until the file has another', async () => {
    const gone = await serviceAccount(cluster, 'deleted', 'get,list,watch');
    await kubectl('delete', 'serviceaccount', 'deleted');
    await using there = await direct(gone);
    using client = await connectKube(there.source, QUICK);
    await using object = follow(client, 'one');
    await object.until(
      'the refusal',
      (seen) => seen.filter((text) => text.startsWith('trouble: Unauthorized')).length >= 2,
    );
    await there.write('token', token);
    await object.until('the object', last('x=0'));
    table.add("a deleted ServiceAccount's token", 'reported Unauthorized; resumed with the next token');
  });

  test('a wrong CA is reported until the file has the right one', async () => {
    await using there = await direct(token, makeAuthority('another').certificate);
    using client = await connectKube(there.source, QUICK);
    await using object = follow(client, 'one');
    await object.until('the refusal', (seen) => seen.some((text) => text.includes('is not signed by the CA')));
    const [reason] = object.seen;
    await there.write('ca.crt', cluster.ca);
    await object.until('the object', last('x=0'));
    table.add('a wrong CA, then the right one in the file', `${reason}; resumed with the right one`);
  });

  // kolla-core leaves plugins to kolla-pod.
  testOnNode('an exec plugin provides the token; it runs once for many requests, and again on 401', async () => {
    await using directory = await privateDirectory('plugin');
    const file = (name: string) => join(directory.path, name);
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential' };
    const tokens = (value: string) => JSON.stringify({ ...credential, status: { token: value } });
    await writeFile(file('answer'), tokens(await expired(cluster, token)));
    const plugin = `echo run >> '${file('runs')}'; cat '${file('answer')}'`;
    const exec = { apiVersion: credential.apiVersion, command: 'sh', args: ['-c', plugin], interactiveMode: 'Never' };
    await writeFile(file('config'), kubeconfigText(cluster, { exec }));
    const runs = async () => (await readFile(file('runs'), 'utf8')).trim().split('\n').length;
    using client = await connectKube({ kind: 'kubeconfig', files: [file('config')] }, QUICK);
    assert.equal(await runs(), 1);
    await writeFile(file('answer'), tokens(token));
    const watches = Array.from({ length: 10 }, () => follow(client, 'one'));
    for (const watch of watches) await watch.until('the object', last('x=0'));
    const told = watches.flatMap(({ seen }) => seen.filter((text) => text !== 'x=0'));
    for (const watch of watches) await watch[Symbol.asyncDispose]();
    assert.deepEqual(told, []);
    assert.ok((await runs()) < 5, `the plugin was run ${await runs()} times`);
    table.add('an exec plugin, its first token expired', `run ${await runs()} times for 10 watches; nothing was told`);
  });

  test('uses a proxy to the API server', async () => {
    await using directory = await privateDirectory('proxy');
    await using proxy = await startConnectProxy();
    const file = join(directory.path, 'config');
    await writeFile(file, kubeconfigText(cluster, { token }, `http://127.0.0.1:${proxy.port}`));
    using client = await connectKube({ kind: 'kubeconfig', files: [file] }, QUICK);
    await using object = follow(client, 'one');
    await using many = followSet(client);
    await object.until('the object', last('x=0'));
    await many.until('the set', last('one two'));
    proxy.cut();
    await object.until('the cut', (seen) => seen.includes('connected'));
    assert.ok(proxy.asked.length >= 3);
    assert.ok(proxy.asked.every((to) => to === `127.0.0.1:${cluster.apiServer.port}`));
    table.add('a proxy (proxy-url), which is cut', `${proxy.asked.length} connections through it; resumed`);
  });

  test('with get and list only, objects are polled, and the missing verb is reported once', async () => {
    await using there = await direct(await serviceAccount(cluster, 'lister', 'get,list'));
    using client = await connectKube(there.source, QUICK);
    await using object = follow(client, 'one');
    await using many = followSet(client);
    await object.until('the object', last('x=0'));
    await many.until('the set', last('one two'));
    await kubectl('create', 'configmap', 'three', '--from-literal=x=0');
    await many.until('the addition', last('one three two'));
    await kubectl('delete', 'configmap', 'three');
    await many.until('the deletion', last('one two'));
    const warning = `system:serviceaccount:${NAMESPACE}:lister may not watch configmaps in namespace ${NAMESPACE}: polling every 0.2 s instead; add the verb watch to its Role`;
    assert.deepEqual([object.warnings, many.warnings], [[warning], [warning]]);
    table.add('get and list alone', `polls; said once: ${warning}`);
  });

  test('with only get permission objects are read by name', async () => {
    await using there = await direct(await serviceAccount(cluster, 'getter', 'get'));
    using client = await connectKube(there.source, QUICK);
    await using many = followSet(client, { ...MAPS, names: ['two', 'three'] });
    await many.until('the set', last('two'));
    await kubectl('create', 'configmap', 'three', '--from-literal=x=0');
    await many.until('the addition', last('two three'));
    await kubectl('delete', 'configmap', 'three');
    table.add('get alone, of a set of names', `polls each; said: ${many.warnings.at(-1)}`);
  });

  const watches: [string, (client: KubeClient, options: Options) => AsyncIterable<unknown>][] = [
    ['an object', (client, options) => client.watch({ ...MAPS, name: 'one' }, options)],
    ['a set', (client, options) => client.watchSet(MAPS, options)],
    ['a set of the cluster', (client, options) => client.watchSet(NAMESPACES, options)],
  ];
  for (const [what, watch] of watches) {
    test(`without permission for ${what} the error contains a sufficient Role`, async (t) => {
      const name = `nobody-${what.length}`;
      await kubectl('create', 'serviceaccount', name);
      const bearer = (await kubectl('create', 'token', name)).trim();
      await using there = await direct(bearer);
      using client = await connectKube(there.source, QUICK);
      const warnings: string[] = [];
      const options = { signal: t.signal, warn: (message: string) => warnings.push(message) };
      const refused: unknown = await first(watch(client, options)).catch((error: unknown) => error);
      assert.ok(refused instanceof NotPermittedError);
      const [line = '', ...yaml] = refused.message.split('\n');
      await cluster.kubectl(['apply', '--filename=-'], yaml.join('\n'));
      // The change reaches the API server verb by verb, with a delay. A client gets each warning once.
      await until('the Role to be enough', async () => {
        warnings.length = 0;
        using allowed = await connectKube(there.source, QUICK);
        try {
          await first(watch(allowed, options));
        } catch (error) {
          if (error instanceof NotPermittedError) return undefined;
          throw error;
        }
        return warnings.length === 0 || undefined;
      });
      table.add(`nothing, of ${what}`, line);
    });
  }
});

const NAMESPACES: SetRef = { group: '', version: 'v1', resource: 'namespaces' };

interface Options {
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

async function first(observations: AsyncIterable<unknown>): Promise<unknown> {
  for await (const observation of observations) return observation;
  throw new Error('nothing was observed');
}

/** A token of the same ServiceAccount, signed with the server's key, that expired a minute ago. */
async function expired(cluster: ControlPlane, token: string): Promise<string> {
  const [header = '', payload = ''] = token.split('.');
  const now = Math.floor(Date.now() / 1000);
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const old = JSON.stringify({ ...claims, iat: now - 3600, nbf: now - 3600, exp: now - 60 });
  const text = `${header}.${Buffer.from(old).toString('base64url')}`;
  const key = await readFile(join(cluster.directory, 'keys', 'sa.key'), 'utf8');
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

function kubeconfigText({ server, ca }: ControlPlane, user: object, proxyUrl?: string): string {
  const authority = { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const cluster = { server, ...authority, ...(proxyUrl === undefined ? {} : { 'proxy-url': proxyUrl }) };
  return JSON.stringify({
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: NAMESPACE } }],
    'current-context': 'x',
  });
}

interface ConnectProxy extends AsyncDisposable {
  readonly port: number;
  /** The targets of CONNECT requests. */
  readonly asked: readonly string[];
  cut(): void;
}

/** An HTTP proxy that supports only CONNECT. */
async function startConnectProxy(): Promise<ConnectProxy> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  const server = createServer();
  server.on('connect', (request: IncomingMessage, client: Socket, head: Buffer) => {
    const to = request.url ?? '';
    asked.push(to);
    const [host = '', port] = to.split(':');
    const onward = connect({ host, port: Number(port) }, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      onward.pipe(client);
      client.pipe(onward);
    });
    for (const [one, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    cut,
    [Symbol.asyncDispose]: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
