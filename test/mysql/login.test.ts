import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openReader } from '../../src/mysql/client/session.ts';
import { connect, type MysqlTarget } from '../../src/mysql/index.ts';
import { makeAuthority } from '../cluster/authority.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { askingServer, type Asking } from './asking-server.ts';

const PASSWORD = 'a-secret-of-ours';
const authority = makeAuthority('of the server');
const certificate = authority.issue({ commonName: 'localhost', hosts: ['127.0.0.1'] });

function targetAt(port: number, more: Partial<MysqlTarget> = {}): MysqlTarget {
  return { host: '127.0.0.1', port, user: 'nova', password: PASSWORD, database: 'd', ...more };
}

const WAYS: readonly Asking[] = [
  { greets: 'mysql_native_password', switchesTo: 'caching_sha2_password' },
  { greets: 'mysql_native_password', switchesTo: 'sha256_password' },
  { greets: 'mysql_native_password', switchesTo: 'mysql_clear_password' },
  { greets: 'caching_sha2_password', switchesTo: 'caching_sha2_password' },
  { greets: 'sha256_password', switchesTo: 'sha256_password' },
  { greets: 'mysql_clear_password', switchesTo: 'mysql_clear_password' },
];

/** Our own client, and mysql2. */
const CLIENTS = { openReader, connect } as const;
const clients = Object.entries(CLIENTS);

for (const [client, open] of clients)
  for (const [way, isTls] of WAYS.flatMap((one) => [[one, false] as const, [one, true] as const])) {
    const { greets, switchesTo } = way;
    const how = isTls ? 'over TLS that verifies nothing' : 'in plain';
    test(`${client}: a server that greets with ${greets} and switches to ${switchesTo} ${how} gets no password`, async (t) => {
      await using server = await askingServer({ ...way, ...(isTls && { tls: certificate }) });
      const target = targetAt(server.port, isTls ? { tls: { isVerified: false, verifyIdentity: false } } : {});
      await assert.rejects(open(target, { signal: t.signal }), {
        name: 'UnavailableError',
        exitCode: 69,
        message: new RegExp(
          `^the server at 127\\.0\\.0\\.1:${server.port} requests the password of nova itself \\(.*${switchesTo}.*\\).*ssl_ca`,
        ),
      });
      assert.match(server.heard(), /nova/);
      assert.ok(!server.heard().includes(PASSWORD));
    });
  }

for (const [client, open] of clients) {
  test(`${client}: a server with the account in its cache accepts the proof, and gets no password`, async (t) => {
    const way = { greets: 'caching_sha2_password', switchesTo: 'caching_sha2_password', isCached: true } as const;
    await using server = await askingServer(way);
    await using _ = await open(targetAt(server.port), { signal: t.signal });
    assert.ok(!server.heard().includes(PASSWORD));
  });

  test(`${client}: a server verified by TLS, and one behind a socket file, get the password`, async (t) => {
    await using directory = await privateDirectory('login');
    const caFile = join(directory.path, 'ca.pem');
    const socket = join(directory.path, 'mysqld.sock');
    await writeFile(caFile, authority.certificate);
    const greets = 'caching_sha2_password';
    await using secure = await askingServer({ greets, tls: certificate });
    const verified = targetAt(secure.port, { tls: { isVerified: true, caFile, verifyIdentity: true } });
    {
      await using _ = await open(verified, { signal: t.signal });
      assert.ok(secure.heard().includes(PASSWORD));
    }
    await using local = await askingServer({ greets, socket });
    await using _ = await open(targetAt(0, { socket }), { signal: t.signal });
    assert.ok(local.heard().includes(PASSWORD));
  });

  test(`${client}: a server with native passwords gets a proof, and no password`, async (t) => {
    await using server = await askingServer({ greets: 'mysql_native_password' });
    await using _ = await open(targetAt(server.port), { signal: t.signal });
    assert.ok(!server.heard().includes(PASSWORD));
  });
}

test('a server that requests authentication before naming a plugin gets nothing', async (t) => {
  await using server = await askingServer({ greets: 'caching_sha2_password' });
  await assert.rejects(connect(targetAt(server.port), { signal: t.signal }), /no auth plugin/);
  assert.ok(!server.heard().includes(PASSWORD));
});

test('our own client answers the plugin of the greeting, and gives no password to a server that asks at once', async (t) => {
  await using server = await askingServer({ greets: 'caching_sha2_password' });
  await assert.rejects(openReader(targetAt(server.port), { signal: t.signal }), /requests the password of nova itself/);
  assert.ok(!server.heard().includes(PASSWORD));
});
