/**
 * MySQL servers that refuse, lie or do not end, judged by kolla-probe on both engines: each in the same words. No real
 * server does these things; test/integration/mysql-logins.test.ts has real ones.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { makeAuthority, type Credentials } from '../cluster/authority.ts';
import { canBuildCore } from '../cluster/core-binary.ts';
import { ENGINES } from '../cluster/both-engines.ts';
import {
  CAPABILITIES,
  column,
  faulty,
  greeting,
  NONCE,
  OK,
  packet,
  packets,
  refusal,
  result,
  scripted,
  TLS,
} from '../support/mysql-packets.ts';
import { askingServer } from '../mysql/asking-server.ts';
import { listenTcp } from '../support/server.ts';

const skip = (await canBuildCore()) ?? false;
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());

const PASSWORD = 'a-secret-of-ours';
const ENV = { KOLLA_PROBE_PASSWORD: PASSWORD };
const NATIVE = packets(0, greeting());
const CACHING = packets(0, greeting('caching_sha2_password'));
const LOGGED_IN = packet(2, OK);
const VERSION = result([column('version')], [['11.8.9-MariaDB']]);
/** All that a good server sends. */
const GOOD = Buffer.concat([NATIVE, LOGGED_IN, packets(1, ...VERSION)]);
const SEEDS = 60;
/** The deadline if a server sends nothing more, long enough for what precedes it on a busy machine. */
const PATIENCE = '4s';
const change = (plugin: string, nonce = NONCE) => `\xfe${plugin}\0${nonce}\0`;
const inLogin = (...payloads: readonly (Uint8Array | string)[]) => scripted([NATIVE, packets(2, ...payloads)]);
const inResult = (...payloads: readonly (Uint8Array | string)[]) =>
  scripted([NATIVE, LOGGED_IN, packets(1, ...payloads)]);
const HUGE = Buffer.from([0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);

/** After the steps, sends the same again and again. */
function endless(steps: readonly Buffer[], piece: Buffer): (socket: Socket) => void {
  const many = Buffer.concat(Array.from({ length: Math.ceil(65_536 / piece.length) }, () => piece));
  return (socket) => {
    const more = (error?: Error | null) => void (error ?? socket.write(many, more));
    let heard = 0;
    scripted(steps)(socket);
    socket.on('data', () => {
      heard++;
      if (heard === Math.max(1, steps.length - 1)) more();
    });
  };
}

const EARLY = 'the server does not answer as MySQL does: a packet ends too early';
const BREAKS_OFF = 'the server does not answer as MySQL does: it breaks off the login';
const FIX =
  "which is not supported here: ALTER USER 'u'@'HOST' IDENTIFIED VIA mysql_native_password USING PASSWORD('...')";
const asksFor = (plugin: string) =>
  `the server at PLACE requests the password of u itself (${plugin}), which is sent only to a server verified by TLS: ` +
  'verify it (--tls verify, or ssl_ca in the URL), use a socket file, or give the account mysql_native_password';
const unsupported = (plugin: string) => `the account u of the server at PLACE logs in by ${plugin}, ${FIX}`;

/** Each server, and the reason; `PLACE` stands for its address. */
const SERVERS: Readonly<Record<string, readonly [(socket: Socket) => void, string, ...words: string[]]>> = {
  'another protocol': [(socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'), 'the server is not MySQL'],
  'too many connections': [
    scripted([packet(0, refusal(1040, 'Too many connections'))]),
    'error 1040: Too many connections',
  ],
  'an error without its number': [scripted([packet(0, '\xff')]), EARLY],
  'an error of several lines': [
    scripted([NATIVE, packet(2, refusal(1105, '#HY000first\nsecond'))]),
    'error 1105: first\nsecond',
  ],
  'a greeting of 16 MiB': [scripted([Buffer.from([0xff, 0xff, 0xff, 0, 10])]), 'a response of more than 64 KiB'],
  'a greeting that ends too early': [scripted([packet(0, greeting().subarray(0, 40))]), EARLY],
  'half a greeting, and the end': [scripted([NATIVE.subarray(0, 30), 'end']), 'the server closed the connection'],
  'the end after the greeting': [scripted([NATIVE, 'end']), 'the server closed the connection'],
  'MySQL 4.0': [
    scripted([packet(0, greeting('', 1))]),
    'the server does not answer as MySQL does: it is older than MySQL 4.1',
  ],
  'TLS alone': [
    scripted([Buffer.from([21, 3, 3, 0, 2, 2, 40])]),
    'the server answered with a TLS alert, so it requires TLS',
  ],
  'a rejected login': [
    inLogin(refusal(1045, "#28000Access denied for user 'u'@'localhost' (using password: YES)")),
    "it rejects the login of 'u': error 1045: Access denied for user 'u'@'localhost' (using password: YES)",
  ],
  'the password of MySQL 4.0': [inLogin('\xfe'), unsupported('mysql_old_password')],
  'a password in clear text': [inLogin(change('mysql_clear_password')), asksFor('mysql_clear_password')],
  sha256_password: [inLogin(change('sha256_password')), asksFor('sha256_password')],
  client_ed25519: [inLogin(change('client_ed25519')), unsupported('client_ed25519')],
  'a plugin of another name': [inLogin(change('a\u001b[2Jb\n')), unsupported('a [2Jb ')],
  'a plugin without random bytes': [
    inLogin(change('caching_sha2_password', 'short')),
    'the server does not answer as MySQL does: its random bytes are too few',
  ],
  'the whole login of caching_sha2_password': [
    scripted([CACHING, packet(2, '\u0001\u0004')]),
    asksFor('caching_sha2_password'),
  ],
  'a key to encrypt the password with': [
    scripted([CACHING, packet(2, '\u0001-----BEGIN PUBLIC KEY-----\n')]),
    asksFor('caching_sha2_password'),
  ],
  'a key, for another plugin': [inLogin('\u0001-----BEGIN PUBLIC KEY-----\n'), BREAKS_OFF],
  'another factor': [inLogin('\u0002webauthn_client\0data'), unsupported('more than one factor (webauthn_client)')],
  'an empty packet': [inLogin(''), EARLY],
  'an unknown packet': [inLogin('\u0007'), BREAKS_OFF],
  'plugins without end': [
    scripted([NATIVE, ...Array.from({ length: 20 }, (_, i) => packet(2 + 2 * i, change('mysql_native_password')))]),
    'the server does not answer as MySQL does: its login has no end',
  ],
  'accepted proofs without end': [
    endless([CACHING], packet(2, '\u0001\u0003')),
    'the server does not answer as MySQL does: its login has no end',
  ],
  'no TLS': [
    scripted([NATIVE]),
    'the server at PLACE does not support TLS, which is required: enable it there, or remove ssl_* from the URL and --tls from the command',
    '--tls',
    'require',
  ],
  'more than a greeting before TLS': [
    scripted([Buffer.concat([packet(0, greeting('caching_sha2_password', CAPABILITIES | TLS)), LOGGED_IN])]),
    'TLS with the server at PLACE failed: the server sends data before TLS',
    '--tls',
    'require',
  ],
  'the end in place of TLS': [
    scripted([packet(0, greeting('caching_sha2_password', CAPABILITIES | TLS)), 'end']),
    'the server closed the connection',
    '--tls',
    'require',
  ],
  'the end in place of a result': [scripted([NATIVE, LOGGED_IN, 'end']), 'the server closed the connection'],
  'an error in place of a result': [inResult(refusal(1317, '#70100interrupted')), 'error 1317: interrupted'],
  'an error within a result': [
    inResult(...VERSION.slice(0, 3), refusal(1317, '#70100interrupted')),
    'error 1317: interrupted',
  ],
  'a question for a file': [
    inResult('\xfb/etc/passwd'),
    'the server does not answer as MySQL does: it asks for a file',
  ],
  'a huge number of columns': [
    inResult(HUGE),
    'the server does not answer as MySQL does: a result begins without its columns',
  ],
  'no columns': [
    inResult(Buffer.from([0xfc, 0, 0])),
    'the server does not answer as MySQL does: a result begins without its columns',
  ],
  'more columns than it says': [
    inResult(Buffer.from([1]), column('a'), column('b')),
    'the server does not answer as MySQL does: a result has more columns than it says',
  ],
  'a column that ends too early': [inResult(Buffer.from([1]), column('a').subarray(0, 8)), EARLY],
  'a huge value': [inResult(...VERSION.slice(0, 3), Buffer.concat([HUGE, Buffer.from('x')])), EARLY],
  'a length that is none': [inResult(Buffer.from([0xff - 1, 0, 0, 0, 0, 0, 0, 0])), EARLY],
  'more values than columns': [
    inResult(...VERSION.slice(0, 3), Buffer.from('\u0001a\u0001b')),
    'the server does not answer as MySQL does: a row has more values than columns',
  ],
  'rows without end': [
    endless([NATIVE, LOGGED_IN, packets(1, ...VERSION.slice(0, 3))], packet(5, `\xfc\xe8\u0003${'x'.repeat(1000)}`)),
    'a response of more than 1 MiB',
  ],
  'NULL without end': [
    endless([NATIVE, LOGGED_IN, packets(1, ...VERSION.slice(0, 3))], packet(5, '\xfb')),
    'a response of more than 1 MiB',
  ],
  'a greeting, and nothing': [
    scripted([NATIVE]),
    `no response in ${PATIENCE}: the server does not finish the login: it may be frozen, starting, or unreachable`,
    '--timeout',
    PATIENCE,
  ],
  'a login, and nothing': [
    scripted([NATIVE, LOGGED_IN]),
    `no response in ${PATIENCE}: the server has accepted the login, but does not respond to a query`,
    '--timeout',
    PATIENCE,
  ],
};

const authority = makeAuthority('ca');
const { path } = stack.use(await privateDirectory('contract-mysql'));
const CA = join(path, 'ca.pem');
writeFileSync(CA, authority.certificate);
const hosts = ['127.0.0.1'];
const unknown = makeAuthority('unknown');
const stranger = unknown.issue({ commonName: 'db', hosts });

/** Servers over TLS that are not trusted, and the reason. */
const CERTIFICATES: Readonly<Record<string, readonly [Credentials, string]>> = {
  'a certificate of another name': [
    authority.issue({ commonName: 'db', hosts: ['db.example.org'] }),
    "the certificate of the server at PLACE is not for that name: IP: 127.0.0.1 is not in the cert's list:. Use a name that is " +
      'in it, or have one issued with this name; ssl_check_hostname=false in the URL trusts any name that the CA has signed',
  ],
  'an expired certificate': [
    authority.issue({ commonName: 'db', hosts, validUntil: new Date(Date.now() - 3 * 86_400_000) }),
    'the certificate of the server at PLACE has expired: renew it, and let the server load it',
  ],
  'a certificate of an unknown CA': [
    stranger,
    `the certificate of the server at PLACE is not signed by the CA in ${CA} (unable to verify the first certificate): put the CA that signed it there`,
  ],
  'a certificate of an unknown CA, which is sent too': [
    { ...stranger, certificate: stranger.certificate + unknown.certificate },
    `the certificate of the server at PLACE is not signed by the CA in ${CA} (self-signed certificate in certificate chain): put the CA that signed it there`,
  ],
};

describe('kolla-probe mysql, on Node and kolla-core', { skip, concurrency: 2 }, () => {
  test('a server that answers is healthy', async () => {
    const { port } = stack.use(await listenTcp(scripted([NATIVE, LOGGED_IN, packets(1, ...VERSION), 'end'])));
    for (const { name, ask } of ENGINES) {
      assert.equal(await ask(['mysql', `127.0.0.1:${port}`, '--user', 'u'], ENV), '0', name);
    }
  });

  for (const [name, [serve, reason, ...words]] of Object.entries(SERVERS))
    test(`${name}: refused in the same words`, async () => {
      const { port } = stack.use(await listenTcp(serve));
      const place = `127.0.0.1:${port}`;
      const expected = `1: mysql ${place}: ${reason.replaceAll('PLACE', place)}`;
      for (const engine of ENGINES) {
        const said = await engine.ask(['mysql', place, '--user', 'u', ...words], ENV);
        assert.equal(said, expected, engine.name);
      }
    });

  for (const [name, [presented, reason]] of Object.entries(CERTIFICATES))
    test(`${name}: refused in the same words`, async () => {
      const { port } = stack.use(await askingServer({ greets: 'caching_sha2_password', tls: presented }));
      const place = `127.0.0.1:${port}`;
      const expected = `1: mysql ${place}: ${reason.replaceAll('PLACE', place)}`;
      for (const engine of ENGINES) {
        const said = await engine.ask(['mysql', place, '--user', 'u', '--tls', 'verify', '--ca-file', CA], ENV);
        assert.equal(said, expected, engine.name);
      }
    });

  test('random faults in what a server sends: no bug, and the same verdict', async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const { port } = stack.use(
        await listenTcp((socket) =>
          socket
            .on('error', () => {})
            .resume()
            .end(faulty(GOOD, seed)),
        ),
      );
      const words = ['mysql', `127.0.0.1:${port}`, '--user', 'u', '--timeout', '20s'];
      const [nodes, cores] = await Promise.all(ENGINES.map(({ ask }) => ask(words, ENV)));
      assert.match(nodes!, /^0$|^1: mysql \S+: ./, `seed ${seed}`);
      assert.doesNotMatch(nodes!, /undefined|RangeError|TypeError|out of range|bug/, `seed ${seed}`);
      assert.equal(cores, nodes, `seed ${seed}`);
    }
  });
});
