import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { KollaQuestion } from '../../../src/probe/kolla/question.ts';
import { healthy, unhealthy, unseen } from '../../../src/probe/verdict.ts';
import { run } from '../../../tools/process.ts';
import { oneOf, randomFrom } from '../../support/random.ts';
import { freePort } from '../../../tools/port.ts';
import { runShim, servedDoor, shims } from './support.ts';

let folder: Awaited<ReturnType<typeof shims>>;
before(async () => {
  folder = await shims('tells');
});
after(() => folder[Symbol.asyncDispose]());

const question = (ask: KollaQuestion['ask'], more: Partial<KollaQuestion> = {}): KollaQuestion => ({
  label: 'it',
  reach: 'network',
  timeoutMs: 5000,
  ask,
  ...more,
});
const port = (args: readonly string[], env: NodeJS.ProcessEnv) => runShim(folder.path, 'healthcheck_port', args, env);
const BINARY = { code: 3, stdout: 'binary as healthcheck_port: <nova-compute> <5672>', stderr: '' };
const ARGS = ['nova-compute', '5672'];
const [TOKEN, PROOF] = ['a'.repeat(32), 'b'.repeat(32)];
const SECRETS = `${TOKEN}\n${PROOF}\n`;

test('a healthy answer is 0 with its stdout, an unhealthy one 1 with the reason on stderr as well', async () => {
  const verdicts = [healthy, unhealthy('it hangs')].values();
  const ask = () => Promise.resolve({ verdict: verdicts.next().value!, stdout: '\n200 \t\\n ä%s\n' });
  await using door = await servedDoor(folder.path, { keepMs: 0, questionFor: () => question(ask) });
  const env = { KOLLA_PROBE_DOOR_FILE: door.file };
  assert.deepEqual(await port(ARGS, env), { code: 0, stdout: '\n200 \t\\n ä%s\n', stderr: '' });
  assert.deepEqual(await port(ARGS, env), { code: 1, stdout: '\n200 \t\\n ä%s\n', stderr: 'it: it hangs\n' });
});

test('a shim starts no process', async (t) => {
  const ask = () => Promise.resolve({ verdict: healthy });
  await using door = await servedDoor(folder.path, { questionFor: () => question(ask) });
  const trace = join(folder.path, 'trace');
  const shim = join(folder.path, 'bin/healthcheck_port');
  const traced = await run('strace', ['-f', '-o', trace, '-e', 'trace=process', shim, ...ARGS], {
    env: { PATH: process.env['PATH'], KOLLA_PROBE_DOOR_FILE: door.file },
  }).catch(() => undefined);
  if (traced === undefined) return t.skip('no strace on this machine');
  assert.equal(traced.code, 0, traced.stderr);
  const { stdout } = await run('grep', ['-cE', 'fork|clone|execve', trace]);
  assert.equal(stdout, '1\n', 'the one execve is its own start');
});

for (const [what, of] of Object.entries<(file: string) => Promise<NodeJS.ProcessEnv>>({
  'no file': () => Promise.resolve({ KOLLA_PROBE_DOOR_FILE: join(folder.path, 'none') }),
  'a folder in its place': () => Promise.resolve({ KOLLA_PROBE_DOOR_FILE: folder.path }),
  'an empty file': (file) => written(file, ''),
  'a port and no token': (file) => written(file, '80\n'),
  'a token and no proof': async (file) => written(file, `${await freePort()}\n${'a'.repeat(32)}\n`),
  'a port that is code': (file) => written(file, `x[$(touch ${file}.run)]\n${SECRETS}`),
  'a refused connection': async (file) => written(file, `${await freePort()}\n${SECRETS}`),
  'bash in POSIX mode and a refused connection': async (file) => ({
    ...(await written(file, `${await freePort()}\n${SECRETS}`)),
    POSIXLY_CORRECT: '1',
  }),
}))
  test(`with ${what} the binary answers, with the same words and name`, async () => {
    const file = join(folder.path, 'file');
    assert.deepEqual(await port(ARGS, await of(file)), BINARY);
    assert.equal((await run('ls', [`${file}.run`])).code, 2);
  });

async function written(file: string, text: string): Promise<NodeJS.ProcessEnv> {
  await writeFile(file, text);
  return { KOLLA_PROBE_DOOR_FILE: file };
}

test("another pod's token, what can't be seen from there and a bug there let the binary answer", async () => {
  const ask = () => Promise.resolve({ verdict: unseen('other containers') });
  await using door = await servedDoor(folder.path, { questionFor: () => question(ask) });
  const env = { KOLLA_PROBE_DOOR_FILE: door.file };
  assert.deepEqual(await port(ARGS, env), BINARY);
  assert.deepEqual(
    await port(ARGS, await written(join(folder.path, 'other'), `${door.port}\n${'0'.repeat(32)}\n${door.proof}\n`)),
    BINARY,
  );
  const bug = () => {
    throw new TypeError('a bug');
  };
  await using broken = await servedDoor(folder.path, { questionFor: bug });
  assert.deepEqual(await port(ARGS, { KOLLA_PROBE_DOOR_FILE: broken.file }), BINARY);
});

for (const [what, says] of Object.entries<string>({
  'says nothing': '',
  'is cut off in its answer': `HTTP/1.1 200 OK\r\nX: y\r\n\r\n${PROOF} 10 0\nhalf`,
  'says more than its lengths': `HTTP/1.1 200 OK\r\nX: y\r\n\r\n${PROOF} 1 0\nmore`,
  'knows the token that it was sent, and no proof': `HTTP/1.1 200 OK\r\nX: y\r\n\r\n${TOKEN} 0 0\n`,
  'says who it is not': 'HTTP/1.1 200 OK\r\nX: y\r\n\r\n- 0 0\n',
  'is of an older version': 'HTTP/1.1 200 OK\r\nX: y\r\n\r\n0 0\n',
  'speaks another protocol': 'SSH-2.0-OpenSSH_9.2\r\n',
  'is another HTTP server': 'HTTP/1.1 200 OK\r\nServer: x\r\n\r\n<html>',
}))
  for (const closes of [true, false])
    test(`a server that ${what} and ${closes ? 'closes' : 'stays'} lets the binary answer`, async (t) => {
      const server = createServer((socket) => void (closes ? socket.end(says) : socket.write(says))).listen(
        0,
        '127.0.0.1',
      );
      server.on('connection', (socket) => socket.on('error', () => {}).resume());
      t.after(() => server.close());
      await once(server, 'listening');
      const file = `${(server.address() as AddressInfo).port}\n${SECRETS}`;
      assert.deepEqual(await port(ARGS, await written(join(folder.path, 'strange'), file)), BINARY);
    });

test('who shows the proof is believed', async (t) => {
  const server = createServer((socket) => void socket.end(`HTTP/1.1 200 OK\r\nX: y\r\n\r\n${PROOF} 2 0\nok`)).listen(
    0,
    '127.0.0.1',
  );
  server.on('connection', (socket) => socket.on('error', () => {}).resume());
  t.after(() => server.close());
  await once(server, 'listening');
  const file = `${(server.address() as AddressInfo).port}\n${SECRETS}`;
  const env = await written(join(folder.path, 'believed'), file);
  assert.deepEqual(await port(ARGS, env), { code: 0, stdout: 'ok', stderr: '' });
});

test('an answer that takes longer is waited for, since the server says that it is at it', async () => {
  const slow = Promise.withResolvers<{ verdict: typeof healthy }>();
  await using door = await servedDoor(folder.path, { questionFor: () => question(() => slow.promise) });
  const asked = port(ARGS, { KOLLA_PROBE_DOOR_FILE: door.file });
  setTimeout(() => slow.resolve({ verdict: healthy }), 1500);
  assert.deepEqual(await asked, { code: 0, stdout: '', stderr: '' });
});

const BYTES = [
  '\n',
  '\r\n',
  '%',
  '&',
  ' ',
  "'",
  '"',
  '\\',
  '$(false)',
  '`',
  ':',
  ',',
  'a9:',
  '\u{1}',
  'ä',
  '€',
  '\u{1f600}',
  '*',
  '?',
  '-n',
  '=',
];

test('whatever bytes are in words and variables, they arrive as they were given', async () => {
  const random = randomFrom(8);
  const word = () => Array.from({ length: Math.floor(random() * 6) }, () => oneOf(random, BYTES)).join('');
  const seen: unknown[] = [];
  const questionFor = (_name: string, argv: readonly string[], env: NodeJS.ProcessEnv) => {
    seen.push({ argv, env });
    return question(() => Promise.resolve({ verdict: healthy }));
  };
  await using door = await servedDoor(folder.path, { keepMs: 0, questionFor });
  for (let i = 0; i < 60; i++) {
    const argv = Array.from({ length: Math.floor(random() * 5) }, word);
    const variables = { HEALTHCHECK_CURL_OUTPUT: word(), HEALTHCHECK_CURL_MAX_TIME: word() };
    const locale = oneOf(random, [{}, { LC_ALL: 'C.UTF-8' }, { LANG: 'C.UTF-8' }, { LC_ALL: 'C' }, { IFS: 'a9' }]);
    const env = { ...variables, ...locale, KOLLA_PROBE_DOOR_FILE: door.file };
    const { code, stderr } = await runShim(folder.path, 'healthcheck_curl', argv, env);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, JSON.stringify(argv));
    assert.deepEqual(seen.pop(), { argv, env: variables });
  }
});
