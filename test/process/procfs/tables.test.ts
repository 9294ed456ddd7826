import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  eachInetSocket,
  eachSocketInode,
  eachUnixSocket,
  findProcesses,
  formatEndpoint,
  type InetSocket,
  type UnixSocket,
} from '../../../src/process/procfs/index.ts';
import { parseInetSocket } from '../../../src/process/procfs/inet-sockets.ts';
import { parseUnixSocket } from '../../../src/process/procfs/unix-sockets.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { oneOf, randomFrom } from '../../support/random.ts';

const { signal } = new AbortController();
const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const UNIX_HEAD = 'Num       RefCount Protocol Flags    Type St Inode Path\n';

function row(local: string, remote: string, state: string, inode: number): string {
  return `   7: ${local} ${remote} ${state} 00000000:00000000 02:000A7214 00000000 42436        0 ${inode} 2 0000000000000000 20 4 0 10 -1\n`;
}

/** A /proc that contains these files. */
async function procOf(files: Readonly<Record<string, string>>) {
  const directory = await privateDirectory('proc');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(directory.path, name, '..'), { recursive: true });
    await writeFile(join(directory.path, name), text, 'latin1');
  }
  return directory;
}

async function socketsIn(proc: string): Promise<InetSocket[]> {
  const found: InetSocket[] = [];
  await eachInetSocket(['tcp'], (socket) => found.push(socket) === 0, { proc, signal });
  return found;
}

test('a row has both ends, the state and the inode', () => {
  const line = row('0100007F:1F90', '0500000A:1628', '01', 4711).trimEnd();
  const socket = parseInetSocket(line, 'tcp');
  assert.ok(socket);
  assert.deepEqual(
    { ...socket, local: formatEndpoint(socket.local), remote: formatEndpoint(socket.remote) },
    { protocol: 'tcp', state: 'ESTABLISHED', local: '127.0.0.1:8080', remote: '10.0.0.5:5672', inode: '4711' },
  );
});

for (const [hex, text] of [
  ['00000000', '*:1'],
  ['00000000000000000000000000000000', '*:1'],
  ['00000000000000000000000001000000', '[::1]:1'],
  ['0000000000000000FFFF00000500000A', '10.0.0.5:1'],
  ['B80D0120000000000000000001000000', '[2001:db8::1]:1'],
  ['B80D0120010000000000010001000000', '[2001:db8:0:1:1::1]:1'],
] as const) {
  test(`an address is formatted for users: ${text} for ${hex}`, () => {
    // The kernel prints the machine's byte order: on a machine with the other one, this test would fail.
    assert.equal(formatEndpoint({ hex, port: 1 }), text);
  });
}

test('a machine without IPv6 has one table fewer, and one without /proc is an error', async () => {
  await using proc = await procOf({ 'net/tcp': HEAD + row('0100007F:1F90', '00000000:0000', '0A', 1) });
  assert.equal((await socketsIn(proc.path)).length, 1);
  await assert.rejects(socketsIn(join(proc.path, 'none')), { code: 'ENOENT' });
});

test('lines split anywhere between two reads are whole', async () => {
  const rows = Array.from({ length: 5000 }, (_, i) => row('0100007F:1F90', '00000000:0000', '0A', i + 1));
  await using proc = await procOf({ 'net/tcp': HEAD + rows.join('').trimEnd() });
  assert.deepEqual(
    (await socketsIn(proc.path)).map(({ inode }) => inode),
    rows.map((_, i) => `${i + 1}`),
  );
});

test('an abort stops reading, even in the middle of a table', async () => {
  const rows = Array.from({ length: 50_000 }, (_, i) => row('0100007F:1F90', '00000000:0000', '0A', i + 1));
  await using proc = await procOf({ 'net/tcp': HEAD + rows.join('') });
  const ended = new AbortController();
  let seen = 0;
  const each = () => {
    if (++seen === 1) setImmediate(() => ended.abort(new Error('over')));
    return false;
  };
  await assert.rejects(eachInetSocket(['tcp'], each, { proc: proc.path, signal: ended.signal }), /over/);
  assert.ok(seen < rows.length, 'it was read to the end');
});

test('a Unix socket has its path, and whether it listens', () => {
  const line = (flags: string, type: string, path: string) =>
    `0000000000000000: 00000002 00000000 ${flags} ${type} 01 4711${path === '' ? '' : ` ${path}`}`;
  assert.deepEqual(parseUnixSocket(line('00010000', '0001', '/run/a b.sock')), {
    path: '/run/a b.sock',
    isListening: true,
    inode: '4711',
  });
  assert.equal(parseUnixSocket(line('00000000', '0001', '/run/accepted'))?.isListening, false);
  assert.equal(parseUnixSocket(line('00000000', '0002', '/dev/log'))?.isListening, true);
  assert.equal(parseUnixSocket(line('00010000', '0005', '@abstract'))?.path, '@abstract');
  assert.equal(parseUnixSocket(line('00010000', '0001', '')), undefined);
});

test('valid rows are read from any table content, and nothing else', async () => {
  const random = randomFrom(20_260_131);
  const inet = row('0100007F:1F90', '0500000A:1628', '01', 4711).trimEnd();
  const unix = '0000000000000000: 00000002 00000000 00010000 0001 01 4711 /run/a.sock';
  const pieces = ['\0', '\n', ' ', ':', '/', '\xff', '00000000', 'ZZ', '9'.repeat(400), '-1', '\x1b[2J', '\u2028'];
  for (let round = 0; round < 20_000; round++) {
    const whole = oneOf(random, [inet, unix]);
    const at = Math.floor(random() * whole.length);
    const cut = Math.floor(random() * 8);
    const line = whole.slice(0, at) + oneOf(random, pieces) + whole.slice(at + cut);
    const socket: InetSocket | undefined = parseInetSocket(line, 'tcp');
    if (socket !== undefined) {
      for (const { port } of [socket.local, socket.remote]) assert.ok(port >= 0 && port <= 65_535, line);
      assert.match(socket.inode, /^\d+$/);
      assert.match(formatEndpoint(socket.remote), /^[^\s]+:\d+$/);
    }
    const named: UnixSocket | undefined = parseUnixSocket(line);
    if (named !== undefined) assert.match(named.inode, /^\d+$/);
  }
});

test('tables of noise contain no socket, and an endless line is abandoned', async () => {
  const random = randomFrom(7);
  const noise = Array.from({ length: 300_000 }, () => String.fromCharCode(Math.floor(random() * 256))).join('');
  const endless = 'x'.repeat(1_000_000);
  const good = row('0100007F:1F90', '00000000:0000', '0A', 4711);
  await using proc = await procOf({ 'net/tcp': `${noise}\n${endless}\n${good}`, 'net/unix': UNIX_HEAD + noise });
  assert.deepEqual(
    (await socketsIn(proc.path)).map(({ inode }) => inode),
    ['4711'],
  );
  const found: UnixSocket[] = [];
  await eachUnixSocket((socket) => found.push(socket) === 0, { proc: proc.path, signal });
  assert.deepEqual(found, []);
});

test('the inodes of sockets are found among other descriptors, and an exited process has none', async () => {
  await using proc = await procOf({ '7/fd/x': '' });
  await symlink('socket:[4711]', join(proc.path, '7/fd/3'));
  await symlink('pipe:[4712]', join(proc.path, '7/fd/4'));
  await symlink('/dev/null', join(proc.path, '7/fd/5'));
  const found: string[] = [];
  const each = (inode: string) => found.push(inode) === 0;
  // An entry that is not a link is never a descriptor; the real directory contains only links.
  await assert.rejects(eachSocketInode(7, each, { proc: proc.path, signal }), { code: 'EINVAL' });
  assert.equal(await eachSocketInode(8, each, { proc: proc.path, signal }), 'gone');
  assert.deepEqual(found, ['4711']);
});

const process7 = (words: readonly string[], name = 'x') => ({
  '7/cmdline': words.map((word) => `${word}\0`).join(''),
  '7/comm': `${name}\n`,
});

for (const [words, wanted, isFound] of [
  [['/usr/bin/nova-compute'], 'nova-compute', true],
  [['/usr/bin/python3', '-s', '/usr/bin/nova-compute', '--config-file', 'x'], 'nova-compute', true],
  [['/var/lib/kolla/venv/bin/python3.12', '/var/lib/kolla/venv/bin/neutron-l3-agent'], 'neutron-l3-agent', true],
  [['octavia-worker: ConsumerService worker(0)'], 'octavia-worker', true],
  [['neutron-server: api worker (/usr/bin/neutron-server --config-file /etc/x)'], 'neutron-server', true],
  [
    ['neutron-server: rpc worker (/usr/bin/python3 /usr/bin/neutron-rpc-server --config-file /etc/x)'],
    'neutron-rpc-server',
    true,
  ],
  [['neutron-l3-agent (/venv/bin/python3 /venv/bin/neutron-l3-agent --config-file /etc/x)'], 'neutron-l3-agent', true],
  [['gnocchi-metricd: master process [/venv/bin/gnocchi-metricd --log-file x]'], 'gnocchi-metricd', true],
  [['/usr/bin/valkey-server 127.0.0.1:6379'], 'valkey-server', true],
  [['sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups'], 'sshd', true],
  [['neutron-server: api worker (/usr/bin/python3 /usr/bin/neutron-server)'], 'api', false],
  [['neutron-server: rpc worker (/usr/bin/python3 /usr/bin/neutron-rpc-server)'], 'neutron-rpc', false],
  [['tail', 'nova-compute'], 'nova-compute', false],
  [['pgrep', '-f', 'nova-compute'], 'nova-compute', false],
  [['/usr/bin/nova-compute-wrapper'], 'nova-compute', false],
  [['healthcheck_port', 'nova-compute', '5672'], 'nova-compute', false],
  [['/bin/bash', '/usr/local/bin/healthcheck_port', 'nova-compute', '5672'], 'healthcheck_port', false],
] as const) {
  test(`${words.join(' ')} is ${isFound ? '' : 'not '}found as ${wanted}`, async () => {
    await using proc = await procOf(process7(words));
    const found = await findProcesses({ name: wanted }, { proc: proc.path, signal });
    assert.equal(found.length, isFound ? 1 : 0);
  });
}

test("a name truncated by the kernel is another program's, if its arguments say so", async () => {
  // The kernel's name for both is `ceilometer-agen`.
  await using proc = await procOf(process7(['python3', '/usr/bin/ceilometer-agent-compute'], 'ceilometer-agen'));
  const asked = async (name: string) => (await findProcesses({ name }, { proc: proc.path, signal })).length;
  assert.equal(await asked('ceilometer-agent-compute'), 1);
  assert.equal(await asked('ceilometer-agent-notification'), 0);
  await using titled = await procOf(process7(['a title of its own'], 'ceilometer-agen'));
  assert.equal((await findProcesses({ name: 'ceilometer-agent-compute' }, { proc: titled.path, signal })).length, 1);
});

test('a pattern is matched against the whole command line, and never against the probe itself', async () => {
  await using proc = await procOf({
    ...process7(['python3', '/usr/bin/mistral-server', '--server', 'engine']),
    '8/cmdline': 'kolla-probe\0process\0--pattern\0mistral-server .*engine\0',
    '8/comm': 'kolla-probe\n',
    '9/cmdline': '',
    '9/comm': 'mistral-server engine zombie\n',
  });
  const query = { name: 'mistral-server .*engine', isPattern: true };
  const found = await findProcesses(query, { proc: proc.path, signal });
  assert.deepEqual(
    found.map(({ pid }) => pid),
    [7],
  );
});
