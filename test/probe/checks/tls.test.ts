import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createServer, type TlsOptions } from 'node:tls';
import { tls } from '../../../src/probe/checks/tls.ts';
import { makeAuthority } from '../../cluster/authority.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { listenTcp } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { asked, reasonAwaiting, reasonOf } from './asked.ts';

const DAY_MS = 86_400_000;
const authority = makeAuthority('tls');
const stack = new AsyncDisposableStack();
let caFile = '';
let directory = '';

before(async () => {
  directory = stack.use(await privateDirectory('tls')).path;
  caFile = join(directory, 'ca.pem');
  await writeFile(caFile, authority.certificate);
});
after(() => stack.disposeAsync());

/** A server whose certificate is valid for this long. */
async function showing(validMs: number, hosts = ['127.0.0.1', 'api.test'], options: TlsOptions = {}) {
  const { certificate: cert, key } = authority.issue({
    commonName: 'api',
    hosts,
    validUntil: new Date(Date.now() + validMs),
  });
  const names: unknown[] = [];
  const server = createServer({ cert, key, ...options }, (socket) => {
    names.push(socket.servername);
    socket.on('error', (error) => names.push(error));
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    at: `127.0.0.1:${port}`,
    names,
    [Symbol.asyncDispose]: async () => void (server.close(), await once(server, 'close')),
  };
}

test('a trusted certificate with enough validity is healthy, with the remaining time', async () => {
  await using server = await showing(1.5 * DAY_MS);
  const verdict = await asked(tls, [server.at, '--ca-file', caFile, '--expires-in', '1d']);
  assert.match(verdict.healthy ? (verdict.detail ?? '') : '', /^valid until 20.*Z, 3[56]h(\d\dm)? more$/);
});

test('a certificate that expires too soon, or has expired, is reported with the time and the fix', async () => {
  await using soon = await showing(DAY_MS);
  assert.match(
    await reasonOf(tls, [soon.at, '--ca-file', caFile, '--expires-in', '30d']),
    /^the certificate of 'api' expires on .*Z, in (24h|23h\d\dm): renew it, and have the server load it$/,
  );
  await using over = await showing(-60_000);
  for (const trust of [
    ['--ca-file', caFile],
    ['--tls', 'require'],
  ]) {
    assert.match(await reasonOf(tls, [over.at, ...trust]), /has expired on .*Z, 1m(\d\ds)? ago: renew it/);
  }
});

test('an untrusted certificate, and one for another name, are unhealthy unless --tls require', async () => {
  await using server = await showing(DAY_MS, ['api.test']);
  assert.match(
    await reasonOf(tls, [server.at, '--server-name', 'api.test']),
    /not signed by a CA of this image's CA bundle; --ca-file names another \(/,
  );
  assert.match(
    await reasonOf(tls, [server.at, '--ca-file', caFile]),
    /for another name: IP: 127\.0\.0\.1 is not in the cert's list/,
  );
  assert.equal((await asked(tls, [server.at, '--tls', 'require'])).healthy, true);
});

test('--server-name is sent to the server and verified; an address is not sent', async () => {
  await using server = await showing(DAY_MS);
  assert.equal((await asked(tls, [server.at, '--ca-file', caFile, '--server-name', 'api.test'])).healthy, true);
  assert.equal((await asked(tls, [server.at, '--ca-file', caFile])).healthy, true);
  await until('the server to complete two handshakes', async () => server.names.length >= 2 || undefined);
  assert.deepEqual(server.names, ['api.test', false]);
});

test('a server that requires a client certificate still shows its own', async () => {
  await using server = await showing(DAY_MS, ['127.0.0.1'], {
    requestCert: true,
    rejectUnauthorized: true,
    ca: authority.certificate,
  });
  assert.equal((await asked(tls, [server.at, '--ca-file', caFile])).healthy, true);
});

test('a server without TLS, and a silent one, each have their reason', async () => {
  await using other = await listenTcp((socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
  assert.equal(await reasonOf(tls, [`127.0.0.1:${other.port}`]), 'the server does not speak TLS');
  await using silent = await listenTcp(() => {});
  assert.match(
    await reasonAwaiting(tls, [`127.0.0.1:${silent.port}`], /^connected/),
    /^no response in 1m: connected, but received no TLS/,
  );
});

test('every certificate in a file must be valid long enough', async () => {
  const file = join(directory, 'chain.pem');
  const issue = (commonName: string, ms: number) =>
    authority.issue({ commonName, validUntil: new Date(Date.now() + ms) }).certificate;
  await writeFile(file, issue('leaf', 20 * DAY_MS) + issue('middle', 3 * DAY_MS));
  assert.match(
    await reasonOf(tls, ['--cert-file', file, '--expires-in', '7d']),
    /^the certificate of 'middle' expires on .*, in 2 days/,
  );
  assert.equal((await asked(tls, ['--cert-file', file])).healthy, true);
  assert.equal(await reasonOf(tls, ['--cert-file', '/nowhere']), '/nowhere does not exist');
  await writeFile(file, 'nothing');
  assert.equal(await reasonOf(tls, ['--cert-file', file]), 'it contains no PEM certificate');
});

test('invalid arguments are rejected', async () => {
  await assert.rejects(asked(tls, []), /tls: give either HOST:PORT or --cert-file/);
  await assert.rejects(asked(tls, ['a:1', '--cert-file', 'x']), /give either/);
  await assert.rejects(asked(tls, ['a:1', '--expires-in', '7']), /--expires-in: '7' has no unit/);
  await assert.rejects(
    asked(tls, ['a:1', '--tls', 'require', '--ca-file', 'x']),
    /--ca-file is given with --tls require, which verifies no certificate/,
  );
});
