/**
 * Servers with good and bad certificates, and such that break off, judged by kolla-probe on both engines: Node's OpenSSL
 * and kolla-core's AWS-LC must come to the same result in the same words. Exceptions are listed with their reasons.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createServer, type TlsOptions } from 'node:tls';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';
import { makeAuthority, type Credentials } from '../cluster/authority.ts';
import { canBuildCore } from '../cluster/core-binary.ts';
import { canRunOpenssl } from '../engine/openssl.ts';
import { listenTcp } from '../support/server.ts';
import { byOpenssl, coreProbe, KEYS, onBothEngines } from './tls-engines.ts';

const skip = (await canBuildCore()) ?? (await canRunOpenssl()) ?? false;
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const { path } = stack.use(await privateDirectory('contract-tls'));

const authority = makeAuthority('ca');
const CA = join(path, 'ca.pem');
writeFileSync(CA, authority.certificate);
const hosts = ['localhost', '127.0.0.1'];
const good = authority.issue({ commonName: 'localhost', hosts });

/** What each server has, beyond a good certificate; or what it does with a connection. */
const SERVERS: Readonly<Record<string, TlsOptions | ((socket: Socket) => void)>> = {
  'TLS 1.2': { maxVersion: 'TLSv1.2' },
  'TLS 1.3': { minVersion: 'TLSv1.3' },
  'ChaCha20 of TLS 1.2': { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305' },
  'ChaCha20 of TLS 1.3': { minVersion: 'TLSv1.3', ciphers: 'TLS_CHACHA20_POLY1305_SHA256' },
  'P-521 alone, after another try': { minVersion: 'TLSv1.3', ecdhCurve: 'P-521' },
  'P-384 alone': { ecdhCurve: 'P-384' },
  'another name': options(authority.issue({ commonName: 'other', hosts: ['other.example.org', '10.0.0.1'] })),
  'no alternative name': options(authority.issue({ commonName: 'localhost' })),
  'a wildcard of another depth': options(authority.issue({ commonName: 'w', hosts: ['*.a.localhost'] })),
  expired: options(
    authority.issue({ commonName: 'localhost', hosts, validUntil: new Date(Date.now() - 3 * 86_400_000) }),
  ),
  'an unknown CA': options(makeAuthority('unknown').issue({ commonName: 'localhost', hosts })),
  'an unknown CA, which is sent too': withChain(makeAuthority('unknown')),
  'its own CA': options(makeAuthority('localhost')),
  'plain HTTP': (socket) => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'),
  'a greeting of another protocol': (socket) => void socket.write('220 mail.example.org ESMTP\r\n'),
  'no answer at all': (socket) => socket.destroy(),
  'an alert instead of an answer': answering('15 0303 0002 0231'),
  'the end, as an alert': answering('15 0303 0002 0100'),
  'a warning, then nothing': answering('15 0303 0002 0170'),
  'a server hello of another version': answering(`16 0303 002a 02000026 0305 ${'11'.repeat(32)} 00 c02b 00`),
  'a handshake message without an end': answering('16 0303 0004 02 000100'),
  'a reset': (socket) => void socket.once('data', () => socket.resetAndDestroy()),
};
/** Servers whose certificates OpenSSL must issue. */
const ISSUED: Readonly<Record<string, () => Promise<TlsOptions>>> = {
  'RSA of 2048 bits, TLS 1.2': async () => ({ ...(await issued('RSA of 2048 bits')), maxVersion: 'TLSv1.2' }),
  'RSA of 4096 bits': async () => await issued('RSA of 4096 bits'),
  'P-384': async () => await issued('P-384'),
  Ed25519: async () => await issued('Ed25519'),
  'Ed25519, TLS 1.2': async () => ({ ...(await issued('Ed25519')), maxVersion: 'TLSv1.2' }),
  'for clients only': async () => await issued('RSA of 2048 bits', 'extendedKeyUsage=clientAuth\n'),
};

let count = 0;
async function issued(kind: keyof typeof KEYS, extensions = ''): Promise<TlsOptions> {
  return options(await byOpenssl(authority, path, `issued${count++}`, KEYS[kind], { extensions }));
}

/** Where the engines differ: the reason is kolla-core's, and why. */
const DIFFERENT: Readonly<Record<string, RegExp>> = {
  // A certificate is for its alternative names alone (RFC 9525). Node still takes the common name.
  'no alternative name': /^1: .* altnames: it has none, only the common name localhost; |^0$|^1: .* list: ;|expires/,
  // The library refuses a key for signing certificates alone in the handshake, so also unverified.
  'its own CA': /^1: .*INVALID_PURPOSE: unsuitable certificate purpose$/,
};

/** Sends these bytes and ends when it has heard something. */
function answering(hex: string): (socket: Socket) => void {
  const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex');
  return (socket) => void socket.once('data', () => socket.end(bytes));
}

function options({ certificate: cert, key }: Credentials): TlsOptions {
  return { cert, key };
}

function withChain(from: typeof authority): TlsOptions {
  const { certificate, key } = from.issue({ commonName: 'localhost', hosts });
  return { cert: certificate + from.certificate, key };
}

async function portOf(server: TlsOptions | ((socket: Socket) => void)): Promise<number> {
  if (typeof server === 'function')
    return stack.use(await listenTcp((socket) => server(socket.on('error', () => {})))).port;
  const answer = (socket: Socket) =>
    socket.on('error', () => {}).on('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
  const listening = createServer({ ...options(good), ...server }, answer).listen(0, '127.0.0.1');
  listening.on('tlsClientError', () => {});
  stack.defer(() => void listening.close());
  await once(listening, 'listening');
  return (listening.address() as AddressInfo).port;
}

describe('kolla-core and Node', { skip, concurrency: 2 }, () => {
  const cases = {
    ...Object.fromEntries(Object.entries(SERVERS).map(([name, one]) => [name, async () => one])),
    ...ISSUED,
  };
  for (const [name, make] of Object.entries(cases))
    for (const host of hosts)
      test(`${name}, as ${host}`, async () => {
        const port = await portOf(await make());
        for (const words of [
          ['http', `https://${host}:${port}/`],
          ['tls', `${host}:${port}`],
          ['tls', `${host}:${port}`, '--expires-in', '30d'],
          ['tls', `${host}:${port}`, '--tls', 'require'],
        ]) {
          const trust = words.includes('require') ? [] : ['--ca-file', CA];
          const { nodes, cores } = await onBothEngines([...words, ...trust]);
          const expected = DIFFERENT[name];
          if (expected === undefined) assert.equal(cores, nodes, words.join(' '));
          else assert.match(cores, expected);
        }
      });
});

/** What Node speaks with, and kolla-core does not: nothing that a server of this decade has alone. */
const REFUSED: Readonly<Record<string, TlsOptions>> = {
  'CBC alone': { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' },
  'TLS 1.1': { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
};

describe('kolla-core refuses, and says what the server has', { skip }, () => {
  for (const [name, server] of Object.entries(REFUSED))
    test(name, async () => {
      const port = await portOf(server);
      const probe = await coreProbe();
      const { code, stderr } = await run(probe, ['tls', `127.0.0.1:${port}`, '--ca-file', CA, '--timeout', '30s']);
      assert.equal(code, 1);
      assert.match(
        stderr,
        /TLS failed: (?:ssl\/tls alert handshake failure; it may .* CBC|tlsv1 alert protocol version)/,
      );
    });
});

for (const [name, text, reason] of [
  ['an empty CA file', '', /contains no PEM certificate/],
  ['a CA file of something else', 'hello\n', /contains no PEM certificate/],
  [
    'a CA file with one bad certificate',
    `${authority.certificate}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
    /invalid certificate/,
  ],
] as const)
  test(`kolla-core: ${name} is a configuration error`, { skip }, async () => {
    const file = join(path, `${name.replaceAll(' ', '-')}.pem`);
    writeFileSync(file, text);
    const port = await portOf({});
    const probe = await coreProbe();
    const { code, stderr } = await run(probe, ['tls', `127.0.0.1:${port}`, '--ca-file', file, '--timeout', '30s']);
    assert.equal(code, 1);
    assert.match(stderr, reason);
  });

test('an RSA key of 1024 bits is refused', { skip }, async () => {
  const weak = await byOpenssl(authority, path, 'weak', ['-newkey', 'rsa:1024']);
  // OpenSSL's server has a security level of its own.
  const port = await portOf({ ...options(weak), ciphers: 'DEFAULT@SECLEVEL=0' });
  const probe = await coreProbe();
  const { code, stderr } = await run(probe, [
    'http',
    `https://127.0.0.1:${port}/`,
    '--ca-file',
    CA,
    '--timeout',
    '30s',
  ]);
  assert.equal(code, 1);
  assert.match(stderr, /key too small|UNSPECIFIED/i);
});
