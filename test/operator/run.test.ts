import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { runOperator } from '../../src/operator/run.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { recordedLog } from '../support/recorded-log.ts';

const WORKLOADS = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({
  type: 'ADDED',
  object: { metadata: { name, namespace: 'openstack', uid: name, generation: 1, resourceVersion: '1' }, spec: {} },
}));
const BOOKMARK = { type: 'BOOKMARK', object: { metadata: { resourceVersion: '1' } } };

test('the Lease is renewed while all other requests hang, as behind a webhook that is down', async (t) => {
  await using directory = await privateDirectory('run');
  const renewed = Promise.withResolvers<void>();
  let [hanging, version] = [0, 0];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url = '' } = request;
    const body = await text(request);
    response.setHeader('content-type', 'application/json');
    if (url.includes('watch=true')) {
      const events = url.includes('/openstackworkloads') ? WORKLOADS : [];
      response.write([...events, BOOKMARK].map((event) => `${JSON.stringify(event)}\n`).join(''));
    } else if (method === 'PATCH') hanging++;
    else if (url.includes('/leases')) {
      if (method === 'PUT' && hanging >= 4) renewed.resolve();
      if (method === 'GET') response.writeHead(404).end('{}');
      else {
        const lease = JSON.parse(body) as { metadata: object };
        const metadata = { ...lease.metadata, resourceVersion: String(++version) };
        response.end(JSON.stringify({ ...lease, metadata }));
      }
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kubeconfig = join(directory.path, 'kubeconfig');
  const config = {
    clusters: [{ name: 'a', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'a', user: { token: 'x' } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  const { log } = recordedLog();
  const stop = new AbortController();
  const where = { namespace: 'openstack', kubeconfig, directory: directory.path, charts: directory.path, helm: 'helm' };
  const options = {
    ...where,
    controllers: [],
    helmDeadline: 30_000,
    helmMemoryBytes: 2 ** 28,
    maxConcurrentReconciles: 4,
    listen: undefined,
    stallTimeout: 600_000,
  };
  const context = { signal: stop.signal, log, inherited: {} } as unknown as Parameters<typeof runOperator>[1];
  const running = runOperator(options, context);
  await Promise.race([renewed.promise, running]);
  stop.abort(new Error('the end of the test'));
  await assert.rejects(running, /the end of the test/);
});
