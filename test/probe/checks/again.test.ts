import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createServer } from 'node:tls';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Check } from '../../../src/probe/ask/check.ts';
import { amqp } from '../../../src/probe/checks/amqp.ts';
import { grpc } from '../../../src/probe/checks/grpc.ts';
import { memcached } from '../../../src/probe/checks/memcached.ts';
import { mysql } from '../../../src/probe/checks/mysql.ts';
import { rabbitmq } from '../../../src/probe/checks/rabbitmq.ts';
import { redis } from '../../../src/probe/checks/redis.ts';
import { tls } from '../../../src/probe/checks/tls.ts';
import { makeAuthority } from '../../cluster/authority.ts';
import { scriptedBroker } from '../../support/amqp-broker.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { listenTcp } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { asked, reasonOf } from './asked.ts';

const stack = new AsyncDisposableStack();
const authority = makeAuthority('again');
let caFile: string;
before(async () => {
  const directory = stack.use(await privateDirectory('again'));
  caFile = join(directory.path, 'ca.pem');
  await writeFile(caFile, authority.certificate);
});
after(() => stack.disposeAsync());

const ENV = { KOLLA_PROBE_PASSWORD: 'hidden' };
const API = ['--management', 'http://127.0.0.1:1'];
const ALL: readonly (readonly [check: Check, words: readonly string[]])[] = [
  [memcached, []],
  [redis, []],
  [grpc, []],
  [amqp, []],
  [amqp, ['--user', 'a']],
  [rabbitmq, ['--user', 'a', ...API]],
  [mysql, []],
  [mysql, ['--user', 'a']],
  [tls, []],
  [redis, ['--tls', 'verify']],
];

/** Sockets and timers of this process, except those in `at`. */
function left(at: readonly string[]): string[] {
  const rest = [...at];
  return process.getActiveResourcesInfo().filter((name) => {
    const index = rest.indexOf(name);
    if (index !== -1) rest.splice(index, 1);
    return index === -1;
  });
}

const TIMES = 5;

for (const [check, words] of ALL) {
  test(`${[check.word, ...words].join(' ')}, run repeatedly against a frozen server, leaves nothing open`, async () => {
    const held = process.getActiveResourcesInfo();
    await using server = await listenTcp(() => {}, '127.0.0.1', 0, { pauseOnConnect: true });
    const env = words.includes('--user') ? ENV : {};
    for (let i = 0; i < TIMES; i++) {
      assert.match(await reasonOf(check, [`127.0.0.1:${server.port}`, ...words], env, 30), /^no response in 30ms/);
    }
    // The server also runs in this process: it listens, and has the other end of each connection.
    const itsOwn = ['TCPServerWrap', ...Array.from({ length: TIMES }, () => 'TCPSocketWrap')];
    const mine = () => left([...held, ...itsOwn]);
    await until('all of them to end', () => Promise.resolve(mine().length === 0 || undefined)).catch(() => {});
    assert.deepEqual(mine(), []);
  });
}

test('a check over TLS verifies the server, and gives the same result as without TLS', async () => {
  const { certificate: cert, key } = authority.issue({ commonName: 'redis', hosts: ['127.0.0.1'] });
  const server = createServer({ cert, key }, (socket) => {
    socket.on('error', () => {}).once('data', () => socket.write('+PONG\r\n'));
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    assert.equal((await asked(redis, [at, '--tls', 'verify', '--ca-file', caFile])).healthy, true);
    assert.equal((await asked(redis, [at, '--tls', 'require'])).healthy, true);
    assert.match(await reasonOf(redis, [at, '--tls', 'verify']), /not signed by a CA of this image's CA bundle/);
    assert.match(
      await reasonOf(redis, [at, '--tls', 'verify', '--ca-file', caFile, '--server-name', 'other']),
      /its certificate is for another name: Host: other\. is not cert's CN: redis/,
    );
  } finally {
    server.close();
  }
});

test('an invalid TLS option is reported with a reason: an invalid CA file, a server without TLS', async () => {
  await using broker = await scriptedBroker();
  const at = `127.0.0.1:${broker.port}`;
  assert.match(
    await reasonOf(amqp, [at, '--tls', 'verify', '--ca-file', '/nowhere']),
    /cannot read the CA bundle \/nowhere/,
  );
  const empty = `${caFile}.empty`;
  await writeFile(empty, '');
  assert.match(await reasonOf(amqp, [at, '--tls', 'verify', '--ca-file', empty]), /contains no PEM certificate/);
  assert.equal(await reasonOf(amqp, [at, '--tls', 'require']), 'the server does not speak TLS');
});
