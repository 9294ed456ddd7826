import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer as createPlain } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { http } from '../../../src/probe/checks/http.ts';
import { rabbitmq } from '../../../src/probe/checks/rabbitmq.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { makeAuthority } from '../../cluster/authority.ts';
import { asked, reasonOf } from './asked.ts';

const DAY_MS = 86_400_000;
const authority = makeAuthority('modes');
const stack = new AsyncDisposableStack();
let caFile = '';

before(async () => {
  const directory = stack.use(await privateDirectory('tls-modes')).path;
  caFile = join(directory, 'ca.pem');
  await writeFile(caFile, authority.certificate);
});
after(() => stack.disposeAsync());

const CERTIFICATES = {
  good: { by: authority, hosts: ['127.0.0.1'], leftMs: DAY_MS },
  'of another CA': { by: makeAuthority('stranger'), hosts: ['127.0.0.1'], leftMs: DAY_MS },
  'for another name': { by: authority, hosts: ['other.test'], leftMs: DAY_MS },
  expired: { by: authority, hosts: ['127.0.0.1'], leftMs: -DAY_MS },
};

async function serving(which: keyof typeof CERTIFICATES | 'plain') {
  const answer = (_: unknown, response: { end: (text: string) => void }) => response.end('ok');
  let server;
  if (which === 'plain') server = createPlain(answer);
  else {
    const { by, hosts, leftMs } = CERTIFICATES[which];
    const validUntil = new Date(Date.now() + leftMs);
    const { certificate: cert, key } = by.issue({ commonName: 'api', hosts, validUntil });
    server = createServer({ cert, key }, answer);
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    at: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => void (server.close(), await once(server, 'close')),
  };
}

for (const [which, verified, required] of [
  ['good', /^healthy$/, /^healthy$/],
  ['of another CA', /^its certificate is not signed by a CA in \S+ca\.pem \(/, /^healthy$/],
  ['for another name', /^its certificate is for another name: .*; use a name that is in it/, /^healthy$/],
  ['expired', /^its certificate or one of its CAs has expired: renew it/, /^healthy$/],
  ['plain', /^the server does not speak TLS$/, /^the server does not speak TLS$/],
] as const) {
  test(`http, server certificate '${which}': results of --tls verify, which is the default of https://, and of require`, async () => {
    await using server = await serving(which);
    const url = `https://${server.at}/`;
    assert.match(await reasonOf(http, [url, '--ca-file', caFile]), verified);
    assert.match(await reasonOf(http, [url, '--tls', 'verify', '--ca-file', caFile]), verified);
    assert.match(await reasonOf(http, [url, '--tls', 'require']), required);
  });
}

test('without --ca-file the image trusts no CA of our own, and the reason names the option', async () => {
  await using server = await serving('good');
  assert.match(await reasonOf(http, [`https://${server.at}/`]), /this image's CA bundle; --ca-file names another/);
});

test('--tls off sends a plain-text request', async () => {
  await using server = await serving('plain');
  assert.equal(await reasonOf(http, [`http://${server.at}/`, '--tls', 'off']), 'healthy');
});

test('--tls that contradicts the URL is a usage error with the fix', async () => {
  for (const [words, message] of [
    [['https://a/', '--tls', 'off'], 'http: --tls off contradicts https://a: write http://, or leave --tls out'],
    [['http://a/', '--tls', 'verify'], 'http: --tls verify contradicts http://a: write https://, or leave --tls out'],
    [['http://a/', '--tls', 'require'], 'http: --tls require contradicts http://a: write https://, or leave --tls out'],
    [
      ['https://a/', '--tls', 'require', '--ca-file', '/ca'],
      'http: --ca-file is given with --tls require, which verifies no certificate: leave it out, or give --tls verify',
    ],
  ] as const) {
    await assert.rejects(asked(http, words), { exitCode: 64, message });
  }
  const login = ['--user', 'guest', '--management'];
  await assert.rejects(asked(rabbitmq, ['a', ...login, 'https://a:15671', '--tls', 'off']), {
    exitCode: 64,
    message: 'rabbitmq: --tls off contradicts --management https://a:15671: write http://, or leave --tls out',
  });
});

test('a TLS mode from the environment must be one of the three', async () => {
  await assert.rejects(asked(http, ['https://a/'], { KOLLA_PROBE_TLS: 'true' }), {
    exitCode: 64,
    message: /KOLLA_PROBE_TLS: 'true' is not one of verify, require, off/,
  });
});
