/**
 * The real curl, our HTTP requests on Node over http and https, and those of kolla-core, on the same responses: what curl
 * accepts must not be unhealthy, because a liveness probe would restart the Pod. Exceptions are listed with their reasons.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createServer } from 'node:tls';
import { freePort } from '../../tools/port.ts';
import { run } from '../../tools/process.ts';
import { requestOnce } from '../../src/net/request-once.ts';
import { makeAuthority } from '../cluster/authority.ts';
import { canBuildCore } from '../cluster/core-binary.ts';
import { builtCore } from '../cluster/on-core.ts';
import { runHelper } from '../support/helper.ts';
import { listenTcp } from '../support/server.ts';
import { canHaveSides } from './healthcheck/sides.ts';
import { ANSWERS } from './http-answers.ts';

/** Accepted by curl alone, and why we reject them. */
const CURL_ALONE: readonly string[] = [
  // The server broke off in the middle of its head. The kubelet rejects it too.
  'a status line alone',
  // The server now speaks another protocol. For the kubelet too only a status from 200 is a success.
  '101 before',
  // As the first one.
  'a truncated status 404',
];

/** Accepted by us alone, and why. */
const OURS_ALONE: readonly string[] = [
  // The kubelet accepts them too.
  'a folded Content-Length',
  'a value of 110 KiB',
  // By one of its lengths the body is complete.
  'a longer second Content-Length',
  // The body is not decoded.
  'an unknown coding',
  'an unknown coding and a length',
  'an unknown coding, chunked',
  'a coding with a parameter',
  // The body is complete.
  'trailers that are no headers',
];

const skip = (await canHaveSides()) ?? false;
const skipCore = (await canBuildCore()) ?? skip;
const names = Object.keys(ANSWERS);
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());

/** Responds to `GET /N` with the N-th response, and closes the connection. */
function serve(socket: Socket): void {
  let heard = '';
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => {
    heard += bytes.toString('latin1');
    const [, index] = /^GET \/(\d+) [^]*\r\n\r\n$/.exec(heard) ?? [];
    if (index !== undefined) socket.end(Buffer.from(ANSWERS[names[Number(index)]!]!, 'latin1'));
  });
}

const plain = stack.use(await listenTcp(serve));
const { certificate: cert, key } = makeAuthority('x').issue({ commonName: 'x', hosts: ['127.0.0.1'] });
const secure = createServer({ cert, key, ALPNProtocols: ['h2', 'http/1.1'] }, serve).listen(0, '127.0.0.1');
stack.defer(() => void secure.close());
await once(secure, 'listening');
const origins = {
  http: `http://127.0.0.1:${plain.port}`,
  https: `https://127.0.0.1:${(secure.address() as AddressInfo).port}`,
};

/** The names of the responses that a client accepts. */
async function acceptedBy(accepts: (url: string) => Promise<boolean>, origin: string): Promise<string[]> {
  const accepted: string[] = [];
  for (const [index, name] of names.entries()) if (await accepts(`${origin}/${index}`)) accepted.push(name);
  return accepted;
}

/** The command of Kolla's healthcheck_curl. HTTP/2 is not offered, because these are responses of HTTP/1. */
async function byCurl(url: string): Promise<boolean> {
  const { code } = await run('curl', ['-qgksS', '--fail', '--http1.1', '-o', '/dev/null', '--max-time', '30', url]);
  return code === 0;
}

async function byUs(url: string): Promise<boolean> {
  const options = { signal: AbortSignal.timeout(30_000), insecure: true, awaitsBody: (status: number) => status < 400 };
  return await requestOnce(new URL(url), options).then(
    ({ status }) => status < 400,
    () => false,
  );
}

/** What curl accepts, by scheme. */
const curls = new Map<string, readonly string[]>();

async function assertAgrees(scheme: keyof typeof origins, accepts: (url: string) => Promise<boolean>): Promise<void> {
  const ours = await acceptedBy(accepts, origins[scheme]);
  const curl = curls.get(scheme) ?? (await acceptedBy(byCurl, origins[scheme]));
  curls.set(scheme, curl);
  assert.deepEqual(
    { curl: curl.filter((name) => !ours.includes(name)), ours: ours.filter((name) => !curl.includes(name)) },
    { curl: CURL_ALONE, ours: OURS_ALONE },
  );
}

for (const scheme of ['http', 'https'] as const)
  test(`${scheme}: what curl accepts is healthy`, { skip }, async () => {
    await assertAgrees(scheme, byUs);
  });

test('http in kolla-core: what curl accepts is healthy', { skip: skipCore }, async () => {
  const probe = join((await builtCore()).names, 'kolla-probe');
  await assertAgrees('http', async (url) => (await run(probe, ['http', url, '--timeout', '30s'])).code === 0);
});

test('no proxy is used by probes and waits', { skip }, async () => {
  const absent = `http://127.0.0.1:${await freePort()}`;
  const env = Object.fromEntries(
    ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].map((name) => [name, absent]),
  );
  for (const [scheme, origin] of Object.entries(origins)) {
    const url = `${origin}/${names.indexOf('no reason')}`;
    const trust = scheme === 'https' ? ['--tls', 'require'] : [];
    const probed = await runHelper('kolla-probe', ['http', url, ...trust], { env });
    assert.equal(probed.code, 0, probed.stderr);
    const waited = await runHelper('kolla-init', ['--wait', url, ...trust], { env });
    assert.equal(waited.code, 0, waited.stderr);
  }
});

for (const name of ['a length and chunks', 'a folded header', 'a space before the colon', 'a head of 20 KiB'])
  for (const [scheme, origin] of Object.entries(origins))
    test(`${scheme}: ${name} is healthy for each helper`, { skip }, async () => {
      const url = `${origin}/${names.indexOf(name)}`;
      const trust = scheme === 'https' ? ['--tls', 'require'] : [];
      for (const [helper, ...words] of [
        ['healthcheck_curl', url],
        ['kolla-probe', 'http', url, ...trust],
        ['kolla-init', '--wait', url, ...trust],
      ] as const) {
        const { code, stderr } = await runHelper(helper, words);
        assert.equal(code, 0, stderr);
      }
    });
