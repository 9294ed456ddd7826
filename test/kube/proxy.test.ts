import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { connectKube } from '../cluster/kube-on-core.ts';
import { makeAuthority } from '../cluster/authority.ts';
import { kubeconfigOf } from '../support/kubeconfig.ts';
import { FAST, job, scriptedApi } from './support.ts';

/** Listens on loopback; disposal closes all connections. */
async function proxyOn(server: Server): Promise<{ readonly url: string } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };
}

test(
  'a proxy that does not respond is an error within a limit, and its connection is closed',
  { timeout: 60_000 },
  async (t) => {
    const closed = Promise.withResolvers<unknown>();
    await using proxy = await proxyOn(createServer((socket) => void socket.resume().once('close', closed.resolve)));
    await using directory = await privateDirectory('kubeconfig');
    const file = join(directory.path, 'config');
    await writeFile(file, kubeconfigOf({ server: 'https://127.0.0.1:1', 'proxy-url': proxy.url }, { token: 'token' }));
    using client = await connectKube({ kind: 'kubeconfig', files: [file] }, { ...FAST, answerMs: 100 });
    await assert.rejects(client.get('/api/v1/nodes', { signal: t.signal }), /^Error: no connection in 0\.1 s$/);
    await closed.promise;
  },
);

test('a renewed CA is trusted on the next connection through a proxy', async (t) => {
  await using api = await scriptedApi((_, response) => void response.end(JSON.stringify(job('7'))));
  const tunnels = createHttpServer().on('connect', ({ url = '' }, socket: Socket) => {
    const { hostname, port } = new URL(`http://${url}`);
    const upstream = connect(Number(port), hostname, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    for (const each of [upstream, socket]) each.on('error', () => {});
    upstream.pipe(socket).pipe(upstream);
  });
  await using proxy = await proxyOn(tunnels);
  await using directory = await privateDirectory('kubeconfig');
  const [file, ca] = [join(directory.path, 'config'), join(directory.path, 'ca.crt')];
  await writeFile(
    file,
    kubeconfigOf({ server: api.url, 'certificate-authority': ca, 'proxy-url': proxy.url }, { token: 'token' }),
  );
  await writeFile(ca, makeAuthority('another').certificate);
  using client = await connectKube({ kind: 'kubeconfig', files: [file] }, FAST);
  await assert.rejects(client.get('/x', { signal: t.signal }), /is not signed by the CA of our credentials/);
  await writeFile(ca, api.authority.certificate);
  assert.deepEqual(await client.get('/x', { signal: t.signal }), job('7'));
});
