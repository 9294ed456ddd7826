/** Servers of OpenSSL that require a client certificate, and kolla-probe with good and bad ones on both engines. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { freePorts } from '../../tools/port.ts';
import { must, start, tailOf, tied } from '../../tools/process.ts';
import { makeAuthority, type Credentials } from '../cluster/authority.ts';
import { canBuildCore } from '../cluster/core-binary.ts';
import { canRunOpenssl } from '../engine/openssl.ts';
import { until } from '../support/until.ts';
import { byOpenssl, KEYS, onBothEngines } from './tls-engines.ts';

const skip = (await canBuildCore()) ?? (await canRunOpenssl()) ?? false;
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const { path } = stack.use(await privateDirectory('tls-client'));

const authority = makeAuthority('ca');
const hosts = ['localhost', '127.0.0.1'];
const file = (name: string, text: string): string => {
  writeFileSync(join(path, name), text);
  return join(path, name);
};
const CA = file('ca.pem', authority.certificate);
const files = (name: string, { certificate, key }: Credentials) => ({
  cert: file(`${name}.crt`, certificate),
  key: file(`${name}.key`, key),
});
const server = files('server', authority.issue({ commonName: 'localhost', hosts }));
const good = files('good', authority.issue({ commonName: 'client' }));
const yesterday = new Date(Date.now() - 86_400_000);
const expired = files('expired', authority.issue({ commonName: 'client', validUntil: yesterday }));
const stranger = files('stranger', makeAuthority('other').issue({ commonName: 'client' }));
const both = file('both.pem', authority.issue({ commonName: 'x' }).certificate);
const PEM = (kind: string) => `-----BEGIN ${kind}-----\nAAAA\n-----END ${kind}-----\n`;

/** `openssl s_server` that requires a client certificate of our CA, and says its status to any GET. */
async function requiring(port: number, version: string): Promise<void> {
  const own = ['-cert', server.cert, '-key', server.key, '-CAfile', CA, '-Verify', '2', '-verify_return_error'];
  const words = ['s_server', '-accept', `127.0.0.1:${port}`, '-www', version, ...own];
  const logFile = join(path, `${version}.log`);
  stack.use(await start(...tied('openssl', words), { logFile, throwAway: true }));
  await until('openssl to listen', async () => /ACCEPT/.test(tailOf(logFile)) || undefined);
}

/** With each client: what both engines say of a GET with TLS 1.2 and 1.3. */
const SAID: readonly (readonly [string, readonly string[], RegExp, RegExp])[] = [
  ['a good certificate', ['--client-cert-file', good.cert, '--client-key-file', good.key], /^0$/, /^0$/],
  [
    'none',
    [],
    /^1: .*: TLS failed: ssl\/tls alert handshake failure; it may require a client certificate$/,
    /^1: .*: TLS failed: tlsv13 alert certificate required; it may require a client certificate$/,
  ],
  [
    'an expired one',
    ['--client-cert-file', expired.cert, '--client-key-file', expired.key],
    /alert certificate expired$/,
    /alert certificate expired$/,
  ],
  [
    'one of another CA',
    ['--client-cert-file', stranger.cert, '--client-key-file', stranger.key],
    /alert unknown ca$/,
    /alert unknown ca$/,
  ],
];

describe('a server that requires a client certificate', { skip }, () => {
  for (const [i, version] of ['-tls1_2', '-tls1_3'].entries())
    test(version.slice(1), async () => {
      const [port = 0] = await freePorts(1);
      await requiring(port, version);
      for (const [name, words, ...expected] of SAID)
        for (const trust of [
          ['--ca-file', CA],
          ['--tls', 'require'],
        ]) {
          const { nodes, cores } = await onBothEngines(['http', `https://127.0.0.1:${port}/`, ...trust, ...words]);
          assert.match(nodes, expected[i]!, name);
          assert.equal(cores, nodes, name);
        }
      const client = ['--client-cert-file', good.cert, '--client-key-file', good.key];
      const seen = await onBothEngines(['tls', `127.0.0.1:${port}`, '--ca-file', CA, ...client]);
      assert.deepEqual(seen, { nodes: '0', cores: '0' });
    });

  test('each kind of key, also in the file of its certificate', async () => {
    const [port = 0] = await freePorts(1);
    await requiring(port, '-no_tls1_1');
    for (const [kind, newKey] of Object.entries(KEYS)) {
      const { certificate, key } = await byOpenssl(authority, path, `client-${newKey.at(-1)}`, newKey);
      const pair = file('pair.pem', certificate + key);
      const words = ['http', `https://127.0.0.1:${port}/`, '--ca-file', CA, '--client-cert-file', pair];
      assert.deepEqual(await onBothEngines(words), { nodes: '0', cores: '0' }, kind);
    }
  });
});

describe('files that are no client certificate are named', { skip }, () => {
  const rsa = async () => (await byOpenssl(authority, path, 'rsa', KEYS['RSA of 2048 bits'])).keyFile;
  const encrypted = async () => {
    const to = join(path, 'encrypted.key');
    await must('openssl', ['pkcs8', '-topk8', '-in', good.key, '-passout', 'pass:secret', '-out', to]);
    return to;
  };
  const cases: Readonly<Record<string, readonly [cert: string, key: string | (() => Promise<string>), RegExp]>> = {
    'a missing certificate': [
      '/nowhere/a.crt',
      good.key,
      /cannot read the client certificate or key \/nowhere\/a\.crt: /,
    ],
    'a missing key': [good.cert, '/nowhere/a.key', /cannot read the client certificate or key \/nowhere\/a\.key: /],
    'a file without a certificate': [good.key, good.key, /good\.key contains no PEM certificate for the client$/],
    'a damaged certificate': [
      file('damaged.crt', PEM('CERTIFICATE')),
      good.key,
      /damaged\.crt contains an invalid certificate for the client$/,
    ],
    'a file without a key': [good.cert, both, /both\.pem contains no PEM private key for the client$/],
    'a damaged key': [
      good.cert,
      file('damaged.key', PEM('PRIVATE KEY')),
      /damaged\.key contains no PEM private key for the client$/,
    ],
    "another certificate's key": [
      good.cert,
      expired.key,
      /expired\.key is not the key of the client certificate in .*good\.crt$/,
    ],
    'a key of another kind': [good.cert, rsa, /rsa\.key is not the key of the client certificate in .*good\.crt$/],
    'an encrypted key': [
      good.cert,
      encrypted,
      /encrypted\.key: the client's key is encrypted, and a passphrase cannot be asked for$/,
    ],
  };
  for (const [name, [cert, key, expected]] of Object.entries(cases))
    test(name, async () => {
      const client = ['--client-cert-file', cert, '--client-key-file', typeof key === 'string' ? key : await key()];
      for (const words of [
        ['http', 'https://127.0.0.1:9/'],
        ['tls', '127.0.0.1:9'],
        ['redis', '127.0.0.1:9', '--tls', 'verify'],
      ]) {
        const { nodes, cores } = await onBothEngines([...words, ...client]);
        assert.match(nodes, expected);
        assert.equal(cores, nodes);
        assert.match(nodes, /^1: /);
      }
    });
});
