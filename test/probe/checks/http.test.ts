import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logLines, runHelper } from '../../support/helper.ts';
import { freePort } from '../../../tools/port.ts';
import { listenHttp, listenTcp } from '../../support/server.ts';

const probe = (...args: string[]) => runHelper('kolla-probe', ['http', ...args]);

async function answering(status: number) {
  return await listenHttp((_request, response) => {
    response.writeHead(status, { location: '/elsewhere' });
    response.end('body');
  });
}

for (const [status, code] of [
  [200, 0],
  [300, 0],
  [302, 0],
  [404, 1],
  [503, 1],
] as const) {
  test(`status ${status} is ${code === 0 ? 'healthy' : 'unhealthy'}`, async () => {
    await using server = await answering(status);
    const result = await probe(`http://127.0.0.1:${server.port}/v3`);
    assert.equal(result.code, code);
    if (code === 1) assert.match(logLines(result.stderr)[0]?.msg ?? '', new RegExp(`status ${status}`));
  });
}

test('with --status only that status is healthy', async () => {
  await using server = await answering(300);
  const url = `http://127.0.0.1:${server.port}/`;
  assert.equal((await probe(url, '--status', '300')).code, 0);
  assert.equal((await probe(url, '--status', '200')).code, 1);
});

test('a server that accepts and never responds is unhealthy at the deadline', async () => {
  await using server = await listenTcp(() => {});
  const { code, stderr } = await probe(`http://127.0.0.1:${server.port}/`, '--timeout', '200ms');
  assert.equal(code, 1);
  assert.match(logLines(stderr)[0]?.msg ?? '', /no response in 200ms/);
});

test('a good status without the rest of its response is unhealthy, a bad one is reported at once', async () => {
  for (const [status, timeout, reason] of [
    // Long enough for a busy machine to receive the status before the timeout.
    [200, '5s', /no response in 5s: status 200, but the response does not end$/],
    [503, '10m', /: status 503$/],
  ] as const) {
    await using server = await listenHttp((_request, response) => {
      response.writeHead(status, { 'content-length': 100 }).write('half of it');
    });
    const { code, stderr } = await probe(`http://127.0.0.1:${server.port}/`, '--timeout', timeout);
    assert.equal(code, 1);
    assert.match(logLines(stderr)[0]?.msg ?? '', reason);
  }
  await using broken = await listenHttp((_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy());
  });
  const { code, stderr } = await probe(`http://127.0.0.1:${broken.port}/`);
  assert.equal(code, 1, stderr);
  await using long = await listenHttp((_request, response) => void response.writeHead(200).write('x'.repeat(100_000)));
  assert.equal((await probe(`http://127.0.0.1:${long.port}/`)).code, 0);
});

test('a login with a broken escape is unhealthy with the fix, and not logged', async () => {
  const { code, stderr } = await probe('http://hidden%zz@127.0.0.1:1/');
  assert.equal(code, 1);
  assert.match(logLines(stderr)[0]?.msg ?? '', /: the URL's login has an invalid escape: write % as %25$/);
  assert.doesNotMatch(stderr, /hidden/);
});

test('a refused connection is unhealthy with its reason', async () => {
  const { code, stderr } = await probe(`http://127.0.0.1:${await freePort()}/`);
  assert.equal(code, 1);
  assert.match(logLines(stderr)[0]?.msg ?? '', /ECONNREFUSED/);
});

test('a response that is not HTTP is unhealthy, not a crash', async () => {
  await using server = await listenTcp((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
  assert.equal((await probe(`http://127.0.0.1:${server.port}/`)).code, 1);
});

test('a URL with a password is rejected without repeating it', async () => {
  const { code, stderr } = await probe('http://admin:hunter2@127.0.0.1/');
  assert.equal(code, 64);
  assert.doesNotMatch(stderr, /hunter2/);
  const mistyped = await probe('htps://admin:hunter2@127.0.0.1/');
  assert.equal(mistyped.code, 64);
  assert.doesNotMatch(mistyped.stderr, /hunter2/);
});

test("a URL's query is not repeated", async () => {
  const { code, stderr } = await probe(`http://127.0.0.1:${await freePort()}/v3?token=hunter2`);
  assert.equal(code, 1);
  assert.match(stderr, /\/v3\?…: .*ECONNREFUSED/);
  assert.doesNotMatch(stderr, /hunter2/);
});
