import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rename, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { ConfigError } from '../../../src/core/errors.ts';
import type { LoginOptions } from '../../../src/logship/sink/login.ts';
import { NoAnswerError, type ServerParts } from '../../../src/logship/sink/server.ts';
import type { TlsFiles } from '../../../src/logship/sink/tls-files.ts';
import { makeAuthority } from '../../cluster/authority.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { freePort } from '../../../tools/port.ts';
import { listenHttp, listenTcp } from '../../support/server.ts';
import { log } from '../read/reading.ts';
import { openServer } from './sink-on-core.ts';

interface Given {
  readonly login?: LoginOptions;
  readonly tls?: TlsFiles;
  readonly said?: string[];
  readonly parts?: Partial<ServerParts>;
}

function server(urls: readonly string[], { login, tls = {}, said = [], parts = {} }: Given = {}) {
  const options = { kind: 'elasticsearch', urls: urls.map((url) => new URL(url)) as [URL], login, tls } as const;
  return openServer(options, { log: log(said), proxyEnv: {}, ...parts });
}

const never = new AbortController().signal;
const GET = { method: 'GET', path: '/' };
const at = (port: number) => `http://127.0.0.1:${port}`;

test('a URL may have a path', async () => {
  const paths: (string | undefined)[] = [];
  await using found = await listenHttp((request, response) => response.end(String(paths.push(request.url))));
  using s = server([`${at(found.port)}/es/`]);
  await s.ask({ method: 'POST', path: '/_bulk?filter_path=errors', body: Buffer.from('x') }, never);
  assert.deepEqual(paths, ['/es/_bulk?filter_path=errors']);
});

test('a URL with an extra slash resolves to its own host, which alone gets the password', async () => {
  const paths: (string | undefined)[] = [];
  await using found = await listenHttp((request, response) => response.end(String(paths.push(request.url))));
  using s = server([`${at(found.port)}//es//`]);
  await s.ask({ method: 'POST', path: '/_bulk' }, never);
  using root = server([`${at(found.port)}//`]);
  await root.ask({ method: 'POST', path: '/_bulk' }, never);
  assert.deepEqual(paths, ['/es/_bulk', '/_bulk']);
});

test('a changed password file is reloaded, also through the links of a Secret', async () => {
  await using directory = await privateDirectory('login');
  const seen: (string | undefined)[] = [];
  await using found = await listenHttp(({ headers }, response) =>
    response.end(String(seen.push(headers.authorization))),
  );
  await writeFile(join(directory.path, 'v1'), 'one\n');
  await writeFile(join(directory.path, 'v2'), 'two\n');
  await symlink('v1', join(directory.path, 'password'));
  const said: string[] = [];
  using s = server([at(found.port)], { login: { user: 'u', passwordFile: join(directory.path, 'password') }, said });
  await s.ask(GET, never);
  await symlink('v2', join(directory.path, 'next'));
  await rename(join(directory.path, 'next'), join(directory.path, 'password'));
  await s.ask(GET, never);
  const basic = (password: string) => `Basic ${Buffer.from(`u:${password}`).toString('base64')}`;
  assert.deepEqual(seen, [basic('one'), basic('two')]);
  assert.deepEqual(said.length, 1);
  assert.doesNotMatch(said.join(), /one|two/);
});

test('the last content of a temporarily missing secret is used', async () => {
  await using directory = await privateDirectory('login');
  const file = join(directory.path, 'key');
  const seen: (string | undefined)[] = [];
  await using found = await listenHttp(({ headers }, response) =>
    response.end(String(seen.push(headers.authorization))),
  );
  await writeFile(file, 'id:secret');
  const said: string[] = [];
  using s = server([at(found.port)], { login: { apiKeyFile: file }, said });
  await writeFile(file, '');
  await s.ask(GET, never);
  await s.ask(GET, never);
  const header = `ApiKey ${Buffer.from('id:secret').toString('base64')}`;
  assert.deepEqual(seen, [header, header]);
  assert.equal(said.length, 1, 'it is said once');
  assert.match(said[0] ?? '', /it is empty: keeping the previous one/);
});

test('a secret missing at the start is a configuration error', () => {
  assert.throws(() => server([at(1)], { login: { apiKeyFile: '/nowhere/key' } }), ConfigError);
});

test('an unresponsive host is skipped, and retried when all fail', async () => {
  const gone = await freePort();
  let asked = 0;
  await using found = await listenHttp((_, response) => response.end(String(++asked)));
  using s = server([at(gone), at(found.port)]);
  for (const _ of [1, 2, 3]) assert.equal((await s.ask(GET, never)).status, 200);
  assert.equal(asked, 3);
  await found[Symbol.asyncDispose]();
  await assert.rejects(
    s.ask(GET, never),
    (error) => error instanceof NoAnswerError && /ECONNREFUSED.*ECONNREFUSED/.test(error.message),
  );
  await using back = await listenHttp((_, response) => response.end('back'), gone);
  assert.equal((await s.ask(GET, never)).status, 200);
  assert.notEqual(back.port, 0);
});

test('a proxy reporting its server as down is an unresponsive host; its status counts if there is no other', async () => {
  await using proxy = await listenHttp((_, response) => response.writeHead(502).end('bad gateway'));
  await using found = await listenHttp((_, response) => response.end('{}'));
  using both = server([at(proxy.port), at(found.port)]);
  assert.equal((await both.ask(GET, never)).status, 200);
  using one = server([at(proxy.port)]);
  assert.equal((await one.ask(GET, never)).status, 502);
});

test('a keep-alive connection closed by the server is not a failure', async () => {
  const sockets: Socket[] = [];
  await using found = await listenTcp((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      // As if the server closed it while the next request is in flight.
      socket.once('data', () => socket.resetAndDestroy());
    });
  });
  using s = server([at(found.port)]);
  assert.equal((await s.ask(GET, never)).status, 200);
  assert.equal((await s.ask(GET, never)).status, 200);
  assert.equal(sockets.length, 2);
});

test('compressed bodies are decompressed unchanged', async () => {
  const bodies: Buffer[] = [];
  const take = async (request: IncomingMessage) => void bodies.push(gunzipSync(await buffer(request)));
  await using found = await listenHttp((request, response) => void take(request).then(() => response.end('{}')));
  using s = server([at(found.port)], { parts: { gzip: true } });
  await s.ask({ method: 'POST', path: '/_bulk', body: Buffer.from('{"a":1}\n'.repeat(1000)) }, never);
  assert.equal(bodies[0]?.toString(), '{"a":1}\n'.repeat(1000));
});

test('an early response to a long request is read, and the connection is not reused', async () => {
  let connections = 0;
  await using found = await listenTcp((socket) => {
    connections++;
    socket.on('error', () => {});
    socket.once('data', () => socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\n{}'));
  });
  using s = server([at(found.port)]);
  const long = { method: 'POST', path: '/_bulk', body: Buffer.alloc(64 * 2 ** 20) };
  assert.equal((await s.ask(long, never)).status, 413);
  assert.equal((await s.ask(long, never)).status, 413);
  assert.equal(connections, 2);
});

test('the signal ends a request without a response', async () => {
  const stop = new AbortController();
  await using found = await listenTcp((socket) => {
    socket.once('data', () => stop.abort(new Error('enough')));
    socket.on('error', () => {});
  });
  using s = server([at(found.port)]);
  await assert.rejects(s.ask(GET, stop.signal), /enough/);
});

test('HTTP_PROXY is used, except for hosts in NO_PROXY', async () => {
  const asked: (string | undefined)[] = [];
  await using proxy = await listenHttp(({ url }, response) => response.end(String(asked.push(url))));
  await using found = await listenHttp((_, response) => response.end('direct'));
  using through = server(['http://es.invalid:9200'], { parts: { proxyEnv: { HTTP_PROXY: at(proxy.port) } } });
  assert.equal((await through.ask(GET, never)).status, 200);
  assert.deepEqual(asked, ['http://es.invalid:9200/']);
  const proxyEnv = { HTTP_PROXY: at(proxy.port), NO_PROXY: '127.0.0.1' };
  using past = server([at(found.port)], { parts: { proxyEnv } });
  assert.equal((await past.ask(GET, never)).body.toString(), 'direct');
});

/** An HTTPS server whose certificate can be changed, and which may request a client certificate. */
async function listenTls(serve: RequestListener, authority = makeAuthority('test'), asksForCertificate = false) {
  const { certificate, key } = authority.issue({ commonName: 'es', hosts: ['localhost', '127.0.0.1'] });
  const client = asksForCertificate ? { requestCert: true, rejectUnauthorized: true, ca: authority.certificate } : {};
  const found = createTlsServer({ cert: certificate, key, ...client }, serve).listen(0, '127.0.0.1');
  await once(found, 'listening');
  return {
    port: (found.address() as AddressInfo).port,
    url: `https://localhost:${(found.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      found.close();
      found.closeAllConnections();
      await once(found, 'close');
    },
  };
}

test('our own CA is trusted, and reloaded when its file changes', async () => {
  await using directory = await privateDirectory('tls');
  const [old, next] = [makeAuthority('old'), makeAuthority('next')];
  await using found = await listenTls((_, response) => response.end('{}'), next);
  const caFile = join(directory.path, 'ca.pem');
  await writeFile(caFile, old.certificate);
  using s = server([found.url], { tls: { caFile } });
  await assert.rejects(s.ask(GET, never), /not signed by a CA in .*ca\.pem/);
  await writeFile(caFile, next.certificate);
  assert.equal((await s.ask(GET, never)).status, 200);
});

test('with --tls require any certificate is accepted, but a plain-text server is not', async () => {
  await using found = await listenTls((_, response) => response.end('{}'), makeAuthority('stranger'));
  using s = server([found.url], { tls: { insecure: true } });
  assert.equal((await s.ask(GET, never)).status, 200);
  await using plain = await listenHttp((_, response) => void response.end('{}'));
  using t = server([`https://localhost:${plain.port}`], { tls: { insecure: true } });
  await assert.rejects(t.ask(GET, never), /does not speak TLS/);
});

test("HTTPS goes through a proxy's tunnel", async () => {
  await using directory = await privateDirectory('tls');
  const authority = makeAuthority('test');
  await using found = await listenTls((_, response) => response.end('{}'), authority);
  const caFile = join(directory.path, 'ca.pem');
  await writeFile(caFile, authority.certificate);
  const tunnels: string[] = [];
  await using proxy = await listenTcp((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head: Buffer) => {
      tunnels.push(head.toString().split('\r\n')[0] ?? '');
      const onward = connect(found.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      onward.on('error', () => {});
    });
  });
  using s = server([found.url], { tls: { caFile }, parts: { proxyEnv: { HTTPS_PROXY: at(proxy.port) } } });
  assert.equal((await s.ask(GET, never)).status, 200);
  assert.deepEqual(tunnels, [`CONNECT localhost:${found.port} HTTP/1.1`]);
});

test('a server that requires a client certificate gets ours, and the error without one has a hint', async () => {
  await using directory = await privateDirectory('tls');
  const authority = makeAuthority('test');
  const names: unknown[] = [];
  const serve: RequestListener = ({ socket }, response) => {
    names.push((socket as TLSSocket).getPeerCertificate().subject?.CN);
    response.end('{}');
  };
  await using found = await listenTls(serve, authority, true);
  const files = {
    caFile: join(directory.path, 'ca'),
    certFile: join(directory.path, 'cert'),
    keyFile: join(directory.path, 'key'),
  };
  const { certificate, key } = authority.issue({ commonName: 'shipper' });
  await writeFile(files.caFile, authority.certificate);
  await writeFile(files.certFile, certificate);
  await writeFile(files.keyFile, key);
  using known = server([found.url], { tls: files });
  assert.equal((await known.ask(GET, never)).status, 200);
  assert.deepEqual(names, ['shipper']);
  using unknown = server([found.url], { tls: { caFile: files.caFile } });
  await assert.rejects(unknown.ask(GET, never), /--cert-file and --key-file/);
});

test('a key that does not match its certificate is a configuration error', async () => {
  await using directory = await privateDirectory('tls');
  const authority = makeAuthority('test');
  const files = { certFile: join(directory.path, 'cert'), keyFile: join(directory.path, 'key') };
  await writeFile(files.certFile, authority.issue({ commonName: 'a' }).certificate);
  await writeFile(files.keyFile, authority.issue({ commonName: 'b' }).key);
  assert.throws(() => server(['https://es:9200'], { tls: files }), ConfigError);
});

test('the error for http:// to a TLS server suggests https://', async () => {
  await using found = await listenTls((_, response) => response.end('{}'));
  using s = server([at(found.port)]);
  await assert.rejects(s.ask(GET, never), /is it https:\/\/\?/);
});
