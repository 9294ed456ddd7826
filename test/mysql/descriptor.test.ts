/** Assumptions of docs/adr/0014 that neither Node nor mysql2 guarantees. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { connect, type MysqlTarget } from '../../src/mysql/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { makeAuthority } from '../cluster/authority.ts';
import { askingServer } from './asking-server.ts';

const GREETS = { greets: 'mysql_native_password' } as const;
const certificate = makeAuthority('of the server').issue({ commonName: 'localhost', hosts: ['127.0.0.1'] });

function targetAt(port: number, more: Partial<MysqlTarget> = {}): MysqlTarget {
  return { host: '127.0.0.1', port, user: 'nova', password: 'a-secret-of-ours', database: 'd', ...more };
}

/** The loopback address as in /proc/net/tcp. */
function address(port: number): string {
  return `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The sockets that are connected to this port, among the descriptors of the process. */
async function connectedTo(port: number): Promise<string[]> {
  const rows = (await readFile('/proc/self/net/tcp', 'utf8')).trim().split('\n').slice(1);
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , to, state]) => to === address(port) && state === '01')
    .map(({ 9: inode }) => `socket:[${inode}]`);
}

for (const [what, tls] of [
  ['in plain text', undefined],
  ['in TLS', certificate],
] as const)
  test(`a session's descriptor is its only connection to its server, ${what}`, async (t) => {
    await using server = await askingServer({ ...GREETS, ...(tls && { tls }) });
    const session = await connect(
      targetAt(server.port, tls && { tls: { isVerified: false, verifyIdentity: false } }),
      t,
    );
    assert.deepEqual([await readlink(`/proc/self/fd/${session.descriptor}`)], await connectedTo(server.port));
    session.destroy();
  });

test("a session's descriptor is its connection to a socket file", async (t) => {
  await using directory = await privateDirectory('descriptor');
  const socket = join(directory.path, 'mysqld.sock');
  await using server = await askingServer({ ...GREETS, socket });
  const session = await connect(targetAt(server.port, { socket }), t);
  assert.match(await readlink(`/proc/self/fd/${session.descriptor}`), /^socket:\[\d+\]$/);
  session.destroy();
});

test('a process that inherits the descriptor keeps the connection after we have closed ours', async (t) => {
  await using server = await askingServer(GREETS);
  const session = await connect(targetAt(server.port), t);
  const [connection] = await connectedTo(server.port);
  const look =
    'read -r _; readlink /proc/$$/fd/3; while read -r _ _ _ state _ _ _ _ _ inode _; do [ "socket:[$inode]" = "$1" ] && echo "$state"; done </proc/net/tcp';
  const heir = spawn('sh', ['-c', look, 'sh', connection!], {
    stdio: ['pipe', 'pipe', 'inherit', session.descriptor],
    signal: t.signal,
  });
  const closed = once(heir, 'close');
  const said = text(heir.stdout!);
  await once(heir, 'spawn');
  session.destroy();
  // Node closes it in the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  assert.notEqual(await readlink(`/proc/self/fd/${session.descriptor}`).catch(() => 'closed'), connection);
  heir.stdin!.end('closed\n');
  assert.equal(await said, `${connection}\n01\n`, 'established');
  await closed;
});
