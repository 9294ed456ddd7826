import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { holderIn, type LeaseObject } from '../../../src/migrate/lease/object.ts';
import { takeLease, type LeaseSite } from '../../../src/migrate/lease/index.ts';
import { dbSyncLease } from '../../../src/kube/db-sync-lease.ts';
import { connectKube } from '../../../src/kube/index.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { listenHttp } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const FORBIDDEN = 'User "system:serviceaccount:ns:me" cannot get resource "leases"';

/** An API server with one Lease at most. `refuse` may respond in its place. */
async function apiServer(
  stack: AsyncDisposableStack,
  refuse: (request: IncomingMessage, body?: LeaseObject) => number | 'silence' | undefined,
) {
  let lease: LeaseObject | undefined;
  const asked: string[] = [];
  const answer = (response: ServerResponse, status: number, body: object) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '' } = request;
    asked.push(`${method} ${url}`);
    const body = method === 'GET' ? undefined : ((await json(request)) as LeaseObject);
    const refused = refuse(request, body);
    if (refused === 'silence') return;
    if (refused === 403) return answer(response, 403, { message: FORBIDDEN, code: 403 });
    if (refused !== undefined)
      return answer(response, refused, { message: 'namespaces "ns" not found', code: refused });
    if (url === '/version') return answer(response, 200, {});
    if (method === 'GET' && lease === undefined) return answer(response, 404, { code: 404 });
    if (body !== undefined) lease = { ...body, metadata: { ...body.metadata, resourceVersion: String(asked.length) } };
    return answer(response, 200, lease ?? {});
  };
  const { port } = stack.use(await listenHttp((request, response) => void serve(request, response)));
  const directory = stack.use(await privateDirectory('kubeconfig'));
  const kubeconfig = join(directory.path, 'config');
  const text = {
    clusters: [{ name: 'a', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'a', user: {} }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a', namespace: 'ns' } }],
    'current-context': 'a',
  };
  await writeFile(kubeconfig, JSON.stringify(text));
  const client = stack.use(await connectKube({ kind: 'kubeconfig', files: [kubeconfig] }));
  const site: LeaseSite = { client, ref: dbSyncLease('ns', 'x'), isLastBeforeRollout: true, isOneWay: false };
  return { site, asked, lease: () => lease };
}

function optionsWith(signal: AbortSignal, { lossMs = 40_000, log = recordedLog().log } = {}) {
  const deadline = performance.now() + 30_000;
  return { holder: 'me', leaseMs: 60_000, lossMs, deadline, signal, log };
}

test('an API server that has just started, and denies everything, is retried', async (t) => {
  await using stack = new AsyncDisposableStack();
  let left = 3;
  const { site } = await apiServer(stack, () => (left-- > 0 ? 403 : undefined));
  const held = stack.use(await takeLease(site, optionsWith(t.signal)));
  assert.equal(held.transitions, 1);
});

test('a free Lease is taken without time to wait for another migration', async (t) => {
  await using stack = new AsyncDisposableStack();
  const { site } = await apiServer(stack, () => undefined);
  const held = await takeLease(site, { ...optionsWith(t.signal), deadline: performance.now() });
  await held.end(undefined, 30_000);
  const again = stack.use(await takeLease(site, { ...optionsWith(t.signal), deadline: performance.now() }));
  const other = { ...optionsWith(t.signal), holder: 'other', deadline: performance.now() };
  await assert.rejects(takeLease(site, other), { exitCode: 75, message: /last seen: me has Lease/ });
  assert.equal(again.transitions, 2);
});

test('the deadline names the holder, also if the API server has not responded since', async (t) => {
  await using stack = new AsyncDisposableStack();
  let gets = 0;
  const { site } = await apiServer(stack, ({ method }) => (method === 'GET' && ++gets > 2 ? 'silence' : undefined));
  stack.use(await takeLease(site, { ...optionsWith(t.signal), leaseMs: 1000 }));
  const other = { ...optionsWith(t.signal), holder: 'other', leaseMs: 1000, deadline: performance.now() + 10_000 };
  await assert.rejects(takeLease(site, other), {
    exitCode: 75,
    message: /last seen: me has Lease .*; no response in /,
  });
});

test('a denial is permanent if other requests succeed', async (t) => {
  await using stack = new AsyncDisposableStack();
  const { site } = await apiServer(stack, ({ url = '' }) => (url.includes('/leases') ? 403 : undefined));
  await assert.rejects(takeLease(site, optionsWith(t.signal)), { exitCode: 77 });
});

test('a missing namespace is reported at once', async (t) => {
  await using stack = new AsyncDisposableStack();
  const { site } = await apiServer(stack, ({ url = '' }) => (url.includes('/leases') ? 404 : undefined));
  await assert.rejects(takeLease(site, optionsWith(t.signal)), {
    exitCode: 69,
    message: `Lease ns/kolla-db-sync-x cannot be written: namespaces "ns" not found`,
  });
});

test('an overloaded API server is retried until it responds', async (t) => {
  await using stack = new AsyncDisposableStack();
  let left = 2;
  const { site, asked } = await apiServer(stack, () => (left-- > 0 ? 503 : undefined));
  stack.use(await takeLease(site, optionsWith(t.signal)));
  assert.equal(asked.filter((line) => line.startsWith('POST')).length, 1);
});

test('a publication that the API server never accepts is not retried forever, and the Lease is released', async (t) => {
  await using stack = new AsyncDisposableStack();
  const { site, asked, lease } = await apiServer(stack, (_, body) =>
    body?.metadata.annotations === undefined ? undefined : 422,
  );
  const held = stack.use(await takeLease(site, optionsWith(t.signal)));
  const news = { phase: 'all', release: '', token: 1 };
  const why = await held.publish({ ...news, state: 'running' }, t.signal);
  assert.match(why ?? '', /^cannot publish 'running' on Lease ns\/kolla-db-sync-x: /);
  assert.equal(asked.length, 3, asked.join());
  assert.equal(await held.end({ ...news, state: 'failed' }, 30_000), false);
  assert.equal(holderIn(lease()), '');
});

const NEWS = { phase: 'all', release: '', token: 1 };

test('end releases the Lease without waiting for an unanswered renewal, and logs no error', async (t) => {
  await using stack = new AsyncDisposableStack();
  let puts = 0;
  const { site, lease } = await apiServer(stack, ({ method }) =>
    method === 'PUT' && ++puts === 1 ? 'silence' : undefined,
  );
  const { log, said } = recordedLog();
  const held = stack.use(await takeLease(site, optionsWith(t.signal, { lossMs: 4000, log })));
  await until('a renewal', async () => (puts > 0 ? true : undefined));
  assert.equal(await held.end({ ...NEWS, state: 'interrupted' }, 30_000), true);
  assert.equal(holderIn(lease()), '');
  assert.doesNotMatch(said(), /cannot renew/);
});

test('shutdown does not wait for the response to a publication', async (t) => {
  await using stack = new AsyncDisposableStack();
  const stop = new AbortController();
  const { site } = await apiServer(stack, ({ method }) => {
    if (method !== 'PUT' || stop.signal.aborted) return undefined;
    setImmediate(() => stop.abort());
    return 'silence';
  });
  const { log, said } = recordedLog();
  const held = stack.use(await takeLease(site, optionsWith(t.signal, { log })));
  assert.equal(await held.publish({ ...NEWS, state: 'running' }, stop.signal), undefined);
  assert.doesNotMatch(said(), /cannot publish/);
});
