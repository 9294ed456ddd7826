/**
 * Process of the sink described in test/support/bulk-sink.ts.
 *
 *   request -> injected cut or status, or the complete body -> documents (bulk.ts) -> stored, or rejected at random
 *     (faults.ts) -> reply (reply.ts)
 *
 * Its options are a JSON argument; it prints its port, and that for TLS, when it listens.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer, json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip, gunzipSync } from 'node:zlib';
import { carryOut, countNewlines } from './bulk.ts';
import { Chance, type Faults } from './faults.ts';
import { filterOf, replyTo, replyToAll } from './reply.ts';
import { Store } from './store.ts';

const {
  port = 0,
  seed = 1,
  fast = false,
  tls,
} = JSON.parse(process.argv[2] ?? '{}') as {
  port?: number;
  seed?: number;
  fast?: boolean;
  tls?: { key: string; certificate: string };
};
const VERSION = {
  number: '8.19.0',
  build_flavor: 'default',
  build_type: 'docker',
  build_snapshot: false,
  lucene_version: '9.12.2',
  minimum_wire_compatibility_version: '7.17.0',
  minimum_index_compatibility_version: '7.0.0',
};
const ROOT = { name: 'sink', cluster_name: 'sink', cluster_uuid: 'AAAAAAAAAAAAAAAAAAAAAA', version: VERSION };

const chance = new Chance(seed);
let store = new Store();
let faults: Faults = {};

const server = createServer({ keepAliveTimeout: 120_000 }, serve);
server.listen(port, '127.0.0.1');
await once(server, 'listening');
const ports = [server];
if (tls !== undefined) {
  const secure = createTlsServer({ key: tls.key, cert: tls.certificate, keepAliveTimeout: 120_000 }, serve);
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  ports.push(secure);
}
console.log(ports.map((each) => (each.address() as AddressInfo).port).join(' '));

function serve(request: IncomingMessage, response: ServerResponse): void {
  answer(request, response).catch((error: unknown) => {
    // The client has disconnected during a request, which tests do on purpose.
    if (!request.complete) return;
    console.error(error);
    process.exitCode = 70;
    server.close();
  });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sink');
  response.setHeader('X-Elastic-Product', 'Elasticsearch');
  response.setHeader('Content-Type', 'application/json');
  if (pathname.startsWith('/__sink/'))
    return void response.end(await control(pathname.slice(8), searchParams, request));
  if (/\/_bulk\/?$/.test(pathname)) return await bulk(request, response, pathname, searchParams.get('filter_path'));
  await buffer(request);
  response.end(JSON.stringify(pathname === '/' ? ROOT : { acknowledged: true, status: 'green' }));
}

async function control(what: string, query: URLSearchParams, request: IncomingMessage): Promise<string> {
  if (what === 'faults') faults = (await json(request)) as Faults;
  if (what === 'reset') store = new Store();
  if (what === 'counts') return JSON.stringify(store.counts);
  if (what === 'numbers') return JSON.stringify(store.numbers(Number(query.get('count'))));
  if (what === 'documents') return JSON.stringify(store.documents());
  return '{}';
}

async function bulk(
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
  filterPath: string | null,
): Promise<void> {
  const { status, delayMs = 0, maxBytes = Infinity } = faults;
  const cut = chance.cuts(faults);
  if (cut === 'request') {
    await once(request, 'data');
    request.socket.destroy();
    return;
  }
  const isFast = fast && status === undefined && maxBytes === Infinity;
  const reply = isFast ? await countOnly(request, filterPath) : await whole(request, pathname, filterPath);
  if (delayMs > 0) await sleep(delayMs);
  response.statusCode = reply.status;
  response.setHeader('Content-Length', Buffer.byteLength(reply.text));
  if (cut === undefined) return void response.end(reply.text);
  response.write(reply.text.slice(0, reply.text.length >> 1), () => request.socket.destroy());
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

async function countOnly(request: IncomingMessage, filterPath: string | null): Promise<Reply> {
  const isGzip = request.headers['content-encoding'] === 'gzip';
  let newlines = 0;
  let bytes = 0;
  let isCreate = false;
  for await (const chunk of (isGzip ? request.pipe(createGunzip()) : request) as AsyncIterable<Buffer>) {
    if (bytes === 0) isCreate = chunk.subarray(0, 16).includes('create');
    newlines += countNewlines(chunk);
    bytes += chunk.length;
  }
  const documents = newlines >> 1;
  store.request(bytes);
  store.taken(documents);
  return { status: 200, text: replyToAll(documents, isCreate ? 'create' : 'index', filterOf(filterPath)) };
}

async function whole(request: IncomingMessage, pathname: string, filterPath: string | null): Promise<Reply> {
  const sent = await buffer(request);
  const { status, maxBytes = Infinity } = faults;
  store.request(sent.length);
  if (!hasLoggedIn(request)) return failed(401, 'security_exception', 'unable to authenticate user');
  if (status !== undefined) return failed(status, 'sink_exception', 'as the test wishes');
  if (sent.length > maxBytes) return failed(413, 'content_too_long_exception', `entity content is too long`);
  const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
  const results = carryOut(body, pathname.replace(/\/?_bulk\/?$/, '').slice(1), { store, faults, chance });
  if (results === undefined) return failed(400, 'illegal_argument_exception', 'no bulk request');
  return { status: 200, text: replyTo(results, filterOf(filterPath)) };
}

function hasLoggedIn({ headers }: IncomingMessage): boolean {
  const { login } = faults;
  return login === undefined || headers.authorization === `Basic ${Buffer.from(login).toString('base64')}`;
}

function failed(status: number, type: string, reason: string): Reply {
  return { status, text: JSON.stringify({ error: { root_cause: [{ type, reason }], type, reason }, status }) };
}
