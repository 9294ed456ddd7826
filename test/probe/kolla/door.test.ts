import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isLoopback } from '../../../src/net/http/peer.ts';
import { questionFor } from '../../../src/probe/kolla/names.ts';
import type { KollaQuestion } from '../../../src/probe/kolla/question.ts';
import { Recent } from '../../../src/probe/kolla/recent.ts';
import { sharesWith } from '../../../src/probe/kolla/shares.ts';
import { healthy } from '../../../src/probe/verdict.ts';
import { privateFolder } from '../../../tools/folder.ts';
import { servedDoor, type ServedDoor } from './support.ts';

const NAME = 'healthcheck_port';

function asks(door: ServedDoor, body: string, more: RequestInit & { name?: string } = {}): Promise<Response> {
  const { name = NAME, ...init } = more;
  const headers = { authorization: `Bearer ${door.token}` };
  return fetch(`http://127.0.0.1:${door.port}/kolla/${name}`, { method: 'POST', body, headers, ...init });
}

const word = (kind: string, text: string) => `${kind}${Buffer.byteLength(text)}:${text},`;
const question = (ask: KollaQuestion['ask']): KollaQuestion => ({
  label: 'it',
  reach: 'network',
  timeoutMs: 5000,
  ask,
});

test('who has not the token, or asks otherwise than a shim, gets no answer', async () => {
  await using folder = await privateFolder('door');
  let asked = 0;
  const ask = () => Promise.resolve({ verdict: (asked++, healthy) });
  await using door = await servedDoor(folder.path, { keepMs: 0, questionFor: () => question(ask) });
  const status = async (body: string, more?: Parameters<typeof asks>[2]) => (await asks(door, body, more)).status;
  assert.equal(await status('a1:x,', { headers: {} }), 401);
  assert.equal(await status('a1:x,', { headers: { authorization: `Bearer ${'0'.repeat(32)}` } }), 401);
  assert.equal(await status('a1:x,', { method: 'PUT' }), 405);
  assert.equal(await status('a1:x,', { name: 'healthcheck_nothing' }), 404);
  assert.equal(await status('a1:x,', { name: 'constructor' }), 404);
  assert.equal(await status('a2:x,'), 400);
  assert.equal(await status(`a200000:${'x'.repeat(200_000)},`), 413);
  assert.equal(asked, 0);
  for (const more of [{ headers: {} }, { method: 'PUT' }, { name: 'healthcheck_nothing' }, {}])
    assert.equal(await (await asks(door, 'a2:x,', more)).text(), '- 0 0\n', 'no proof for who asks so');
  assert.equal(asked, 0);
  assert.equal(await (await asks(door, 'a1:x,')).text(), `${door.proof} 0 0\n`);
  assert.equal(await status('a1:x,'), 200);
});

test('many who ask the same at once are one question, and its answer is good for a while', async () => {
  await using folder = await privateFolder('door');
  const asked: string[] = [];
  const { promise, resolve } = Promise.withResolvers<{ verdict: typeof healthy }>();
  const questionOf = (name: string, argv: readonly string[]) =>
    question(() => {
      asked.push(`${name} ${argv.join(' ')}`);
      return promise;
    });
  await using door = await servedDoor(folder.path, { keepMs: 60_000, questionFor: questionOf });
  const answers = Array.from({ length: 20 }, () => asks(door, 'a1:x,'));
  answers.push(asks(door, 'a1:y,'), asks(door, 'a1:x,', { name: 'healthcheck_listen' }));
  setTimeout(() => resolve({ verdict: healthy }), 100);
  for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
  assert.equal((await asks(door, 'a1:x,')).status, 200);
  assert.deepEqual(asked.toSorted(), ['healthcheck_listen x', 'healthcheck_port x', 'healthcheck_port y']);
});

test('an answer that is over is asked anew, and so is one that failed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let asked = 0;
  const ask = () => Promise.resolve(++asked);
  const recent = new Recent<number>(20, 2);
  assert.deepEqual([await recent.get('a', ask), await recent.get('a', ask)], [1, 1]);
  t.mock.timers.tick(19);
  assert.equal(await recent.get('a', ask), 1);
  t.mock.timers.tick(1);
  assert.equal(await recent.get('a', ask), 2);
  const long = new Recent<number>(60_000, 2);
  await assert.rejects(long.get('a', () => Promise.reject(new Error('no'))));
  assert.equal(await long.get('a', ask), 3);
  for (const key of ['b', 'c']) await long.get(key, ask);
  assert.equal(await long.get('a', ask), 6, 'the oldest was forgotten');
});

test("words that make no sense are unhealthy there as by the binary; what only the asker's process may do is 501", async () => {
  await using folder = await privateFolder('door');
  await using door = await servedDoor(folder.path, { keepMs: 0 });
  const unhealthy = await asks(door, '');
  assert.equal(unhealthy.status, 503);
  assert.match(await unhealthy.text(), /^\w{32} 0 \d+\nhealthcheck_port: a word is missing/);
  const writes = word('e', 'HEALTHCHECK_CURL_OUTPUT=/tmp/x') + word('a', 'http://127.0.0.1:1');
  assert.equal((await asks(door, writes, { name: 'healthcheck_curl' })).status, 501);
  assert.equal((await asks(door, 'a11:/etc/passwd,a1:1,', { name: 'healthcheck_filemod' })).status, 501);
  assert.equal((await asks(door, 'p1:1,a1:x,a1:1,')).status, 501, 'pid 1 is no shim');
});

test('a question about processes is answered in the PID namespace of its asker, one about files in the mount namespace', async () => {
  await using folder = await privateFolder('door');
  const asker = spawn('bash', ['-c', 'echo up; read -r', NAME]);
  try {
    await once(asker.stdout, 'data');
    const pid = asker.pid;
    assert.equal(await sharesWith({ name: NAME, pid }, 'processes'), true);
    assert.equal(await sharesWith({ name: NAME, pid }, 'files'), true);
    assert.equal(await sharesWith({ name: NAME, pid }, 'own'), false);
    assert.equal(await sharesWith({ name: NAME, pid: undefined }, 'processes'), false);
    assert.equal(await sharesWith({ name: NAME, pid: undefined }, 'network'), true);
    assert.equal(await sharesWith({ name: 'healthcheck_listen', pid }, 'processes'), false);
    // Another container's files, whose processes are shown.
    await mkdir(join(folder.path, '7/ns'), { recursive: true });
    await mkdir(join(folder.path, 'self/ns'), { recursive: true });
    await writeFile(join(folder.path, '7/cmdline'), `bash\0/usr/local/bin/${NAME}\0`);
    await symlink('mnt:[1]', join(folder.path, '7/ns/mnt'));
    await symlink('mnt:[2]', join(folder.path, 'self/ns/mnt'));
    assert.equal(await sharesWith({ name: NAME, pid: 7 }, 'processes', folder.path), true);
    assert.equal(await sharesWith({ name: NAME, pid: 7 }, 'files', folder.path), false);
  } finally {
    asker.kill();
  }
});

test('loopback is both families, also as a server on all addresses sees it, and nothing else', () => {
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) assert.ok(isLoopback(address), address);
  for (const address of [undefined, '', '10.0.0.1', '::ffff:10.0.0.1', '128.0.0.1', '::2', '1127.0.0.1'])
    assert.ok(!isLoopback(address), String(address));
});

test('what each script needs of its asker', () => {
  const reach = (name: Parameters<typeof questionFor>[0], argv: string[], env = {}) =>
    questionFor(name, argv, env).reach;
  assert.equal(reach('healthcheck_curl', ['http://a/']), 'network');
  assert.equal(reach('healthcheck_curl', ['--unix-socket', '/a', 'http://a/']), 'own');
  assert.equal(reach('healthcheck_curl', ['a'], { HEALTHCHECK_CURL_OUTPUT: '-' }), 'own');
  assert.equal(reach('healthcheck_port', ['a', '1']), 'processes');
  assert.equal(reach('healthcheck_socket', ['a', '/b']), 'files');
  assert.equal(reach('healthcheck_mariadb', []), 'files');
  assert.equal(reach('healthcheck_mariadb', [], { MYSQL_HOST: '10.0.0.1' }), 'network');
  assert.equal(reach('healthcheck_rabbitmq', []), 'files');
});
