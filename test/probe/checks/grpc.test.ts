import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createSecureServer, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { grpcHealth } from '../../../src/net/protocols/grpc-health.ts';
import { grpc } from '../../../src/probe/checks/grpc.ts';
import { makeAuthority } from '../../cluster/authority.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { freePort } from '../../../tools/port.ts';
import { listenHttp, listenTcp } from '../../support/server.ts';
import { asked, reasonAwaiting, reasonOf } from './asked.ts';

/** By service: its health status, or the gRPC status code of the call. */
type Statuses = Readonly<Record<string, number | string>>;

async function listening(server: Http2Server, statuses: Statuses) {
  server.on('stream', (stream: ServerHttp2Stream) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => answer(stream, statuses[serviceIn(Buffer.concat(chunks))] ?? '5'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void (server.close(), await once(server, 'close')) };
}

/** The name of the service as protobuf: field 1, length, bytes. */
function serviceIn(frame: Buffer): string {
  assert.equal(frame.readUInt32BE(1), frame.length - 5);
  if (frame.length === 5) return '';
  assert.equal(frame[5], 0x0a);
  const isLong = (frame[6] ?? 0) > 0x7f;
  return frame.toString('utf8', isLong ? 8 : 7);
}

function answer(stream: ServerHttp2Stream, status: number | string): void {
  if (typeof status === 'string') {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': status }, { endStream: true });
    return;
  }
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.from(status === 0 ? [0, 0, 0, 0, 0] : [0, 0, 0, 0, 2, 0x08, status]));
}

const LONG = 's'.repeat(200);

test('the server and each service have their reported states', async () => {
  await using server = await listening(createServer(), { '': 1, [LONG]: 1, down: 2, new: 0, none: '5', locked: '16' });
  const at = `127.0.0.1:${server.port}`;
  assert.deepEqual(await asked(grpc, [at]), { healthy: true, detail: 'SERVING' });
  assert.equal((await asked(grpc, [at, '--service', LONG])).healthy, true);
  assert.equal(await reasonOf(grpc, [at, '--service', 'down']), "the service 'down' is NOT_SERVING");
  assert.equal(await reasonOf(grpc, [at, '--service', 'new']), "the service 'new' is UNKNOWN");
  assert.equal(await reasonOf(grpc, [at, '--service', 'none']), "the server knows no service 'none' (NOT_FOUND)");
  assert.equal(await reasonOf(grpc, [at, '--service', 'locked']), 'the server requires credentials (gRPC status 16)');
});

test('a server without the health service is unhealthy, with that reason', async () => {
  await using server = await listening(createServer(), { '': '12' });
  assert.match(await reasonOf(grpc, [`127.0.0.1:${server.port}`]), /no health service \(UNIMPLEMENTED\)/);
});

test('an endless response is aborted', async (t) => {
  const server = createServer().on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => {});
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
    const more = () => void (stream.destroyed || stream.write(Buffer.alloc(16_384), more));
    more();
  });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  assert.match(await reasonOf(grpc, [`127.0.0.1:${port}`]), /a response of more than 64 KiB/);
});

test('with TLS the certificate must match the name, and be signed by the CA', async () => {
  await using directory = await privateDirectory('grpc');
  const authority = makeAuthority('grpc');
  const caFile = join(directory.path, 'ca.pem');
  await writeFile(caFile, authority.certificate);
  const { certificate: cert, key } = authority.issue({ commonName: 'grpc', hosts: ['127.0.0.1'] });
  await using server = await listening(createSecureServer({ cert, key }), { '': 1 });
  const at = `127.0.0.1:${server.port}`;
  assert.equal((await asked(grpc, [at, '--tls', 'verify', '--ca-file', caFile])).healthy, true);
  assert.equal((await asked(grpc, [at, '--tls', 'require'])).healthy, true);
  assert.match(await reasonOf(grpc, [at, '--tls', 'verify']), /not signed by a CA of this image's CA bundle/);
  assert.match(
    await reasonOf(grpc, [at, '--tls', 'verify', '--ca-file', caFile, '--server-name', 'other.test']),
    /its certificate is for another name/,
  );
});

test('a closed port, another protocol and silence each have their reason', async () => {
  assert.match(
    await reasonOf(grpc, [`127.0.0.1:${await freePort()}`]),
    /^connection refused by 127\.0\.0\.1:\d+ \(ECONNREFUSED\)$/,
  );
  await using http = await listenHttp((_request, response) => void response.end());
  assert.match(await reasonOf(grpc, [`127.0.0.1:${http.port}`]), /^the server does not speak HTTP\/2/);
  await using closing = await listenTcp((socket) => void socket.destroy());
  assert.match(await reasonOf(grpc, [`127.0.0.1:${closing.port}`]), /^closed without a response|^ECONNRESET/);
  await using silent = await listenTcp(() => {});
  const reason = await reasonAwaiting(grpc, [`127.0.0.1:${silent.port}`], /^connected/);
  assert.match(reason, /^no response in 1m: connected, but/);
});

test('a deadline that passes before the connection is opened ends the check', { timeout: 10_000 }, async () => {
  await using silent = await listenTcp(() => {});
  const deadline = new AbortController();
  const ask = { service: '', tls: {}, signal: deadline.signal };
  const health = grpcHealth({ host: '127.0.0.1', port: silent.port }, ask, () => {});
  deadline.abort(new Error('late'));
  await assert.rejects(health, /^Error: late$/);
});

test('a TLS option without TLS is rejected', async () => {
  await assert.rejects(asked(grpc, ['127.0.0.1:1', '--ca-file', '/x']), /grpc: --ca-file is given without TLS/);
});
