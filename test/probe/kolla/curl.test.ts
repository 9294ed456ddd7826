import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseTarget } from '../../../src/probe/kolla/curl/target.ts';
import { makeAuthority } from '../../cluster/authority.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { HELPERS, runHelper, startHelper } from '../../support/helper.ts';
import { freePort } from '../../../tools/port.ts';
import { run } from '../../../tools/process.ts';
import { listenHttp, listenTcp } from '../../support/server.ts';

const curl = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => runHelper('healthcheck_curl', args, { env });
const answering = (status: number, headers: Record<string, string> = {}) =>
  listenHttp((_request, response) => void response.writeHead(status, headers).end('body'));

test("a status below 400 is healthy, and redirects are not followed; from 400 on it exits with code 1 and curl's output", async () => {
  for (const status of [200, 204, 300, 302, 399]) {
    await using server = await answering(status, { location: '/gone' });
    const { code, stdout } = await curl([`http://127.0.0.1:${server.port}`]);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^\\n${status} 127\\.0\\.0\\.1:${server.port} \\d+\\.\\d{6} seconds\\n$`));
  }
  for (const status of [400, 401, 404, 503]) {
    await using server = await answering(status);
    const { code, stdout, stderr } = await curl([`http://127.0.0.1:${server.port}/x`]);
    assert.equal(code, 1);
    assert.match(stdout, new RegExp(`^\\n${status} 127`));
    assert.equal(stderr, `curl: (22) The requested URL returned error: ${status}\n`);
  }
});

test("the request equals curl's: user agent, credentials, headers, and the path as written", async () => {
  const seen: unknown[] = [];
  await using server = await listenHttp(({ method, url, headers }, response) => {
    seen.push({ method, url, ...headers });
    response.end();
  });
  const at = `127.0.0.1:${server.port}`;
  const plain = { host: at, 'user-agent': 'curl-healthcheck', accept: '*/*', connection: 'close' };
  const ask = async (...args: string[]) => {
    assert.equal((await curl(args)).code, 0);
    return seen.pop();
  };
  assert.deepEqual(await ask(at), { method: 'GET', url: '/', ...plain });
  assert.deepEqual(await ask(`${at}?q=[1]`), { method: 'GET', url: '/?q=[1]', ...plain });
  assert.deepEqual(await ask(`http://${at}/a{b}#c`), { method: 'GET', url: '/a{b}', ...plain });
  const authorization = `Basic ${Buffer.from('u:p:w').toString('base64')}`;
  assert.deepEqual(await ask('-uu:p:w', at), { method: 'GET', url: '/', authorization, ...plain });
  assert.deepEqual(await ask(`http://u:p:w@${at}`), { method: 'GET', url: '/', authorization, ...plain });
});

test("Kolla's variables are read", async () => {
  let agent: string | undefined;
  await using server = await listenHttp(({ headers }, response) => {
    agent = headers['user-agent'];
    response.end('body');
  });
  const writeOut = String.raw`%{http_code}%%\t%{response_code}|%{remote_port}\q`;
  const env = { HEALTHCHECK_CURL_WRITE_OUT: writeOut, HEALTHCHECK_CURL_USER_AGENT: 'me' };
  const { code, stdout } = await curl([`http://127.0.0.1:${server.port}/`], env);
  assert.deepEqual({ code, stdout, agent }, { code: 0, stdout: `200%\t200|${server.port}\\q`, agent: 'me' });
});

test('a user agent beyond ASCII is sent as its UTF-8, over http and https', async () => {
  const seen: unknown[] = [];
  const answer = ({ headers }: IncomingMessage, response: ServerResponse) => {
    seen.push(Buffer.from(headers['user-agent'] ?? '', 'latin1').toString());
    response.end();
  };
  await using server = await listenHttp(answer);
  const { certificate: cert, key } = makeAuthority('test').issue({ commonName: 'web', hosts: ['127.0.0.1'] });
  const secure = createServer({ cert, key }, answer).listen(0, '127.0.0.1');
  using _ = { [Symbol.dispose]: () => void secure.close() };
  await once(secure, 'listening');
  const agent = 'Zürich — Ċ';
  for (const at of [`127.0.0.1:${server.port}`, `https://127.0.0.1:${(secure.address() as AddressInfo).port}`])
    assert.equal((await curl([at], { HEALTHCHECK_CURL_USER_AGENT: agent })).code, 0);
  assert.deepEqual(seen, [agent, agent]);
});

/** An image whose curl prints its arguments, one per line, and exits with this code. */
async function withCurl(code: number) {
  const directory = await privateDirectory('curl');
  const script = `#!/bin/sh\nprintf '%s\\n' "$@"\necho "NSS $NSS_SDB_USE_CACHE"\necho 'curl: (6) said' >&2\nexit ${code}\n`;
  await writeFile(join(directory.path, 'curl'), script, { mode: 0o755 });
  return directory;
}

for (const [what, args, env = {}] of [
  ['an option', ['-L', 'http://a/']],
  ['options in one argument', ['-skL', 'http://a/']],
  ['a HEAD', ['-I', 'http://a/']],
  ['a maximum time', ['-m', '3', 'http://a/']],
  ['two URLs', ['http://a/', 'http://b/']],
  ['no URL', []],
  ['a user without a password', ['-u', 'me', 'http://a/']],
  ['a user without a password in the URL', ['http://me@a/']],
  ['an escape in the URL of a user', ['http://me:a%3Ab@a/']],
  ['another protocol', ['ftp://a/']],
  ['an invalid port', ['http://a:99999/']],
  ['a space in the URL', ['http://a b/']],
  ['a requested body', ['http://a/'], { HEALTHCHECK_CURL_OUTPUT: '-' }],
  ['a variable that only curl knows', ['http://a/'], { HEALTHCHECK_CURL_WRITE_OUT: '%{http_code}%%%{time_connect}' }],
  ['a host beyond ASCII', ['http://prüfung/']],
  ['a line break in the user agent', ['http://a/'], { HEALTHCHECK_CURL_USER_AGENT: 'me\n' }],
  ['a format in a file', ['http://a/'], { HEALTHCHECK_CURL_WRITE_OUT: '@/etc/format' }],
  ['an invalid maximum time', ['http://a/'], { HEALTHCHECK_CURL_MAX_TIME: 'soon' }],
] as readonly (readonly [string, readonly string[], Readonly<Record<string, string>>?])[])
  test(`the image's curl is called as by Kolla's script, for ${what}`, async () => {
    await using directory = await withCurl(0);
    const { code, stdout, stderr } = await curl(args, { PATH: directory.path, ...env });
    const given = (name: string, otherwise: string) => env[`HEALTHCHECK_CURL_${name}`] ?? otherwise;
    const format = String.raw`\n%{http_code} %{remote_ip}:%{remote_port} %{time_total} seconds\n`;
    const output = ['-q', '-g', '-k', '-s', '-S', '--fail', '-o', given('OUTPUT', '/dev/null')];
    const time = ['--max-time', given('MAX_TIME', '10'), '--user-agent', given('USER_AGENT', 'curl-healthcheck')];
    const wanted = [...output, ...time, '--write-out', given('WRITE_OUT', format), ...args, 'NSS no', ''];
    assert.deepEqual([code, stdout, stderr], [0, wanted.join('\n'), 'curl: (6) said\n']);
  });

test("exits with code 1 for each exit code of the image's curl, as Kolla's script does", async () => {
  await using directory = await withCurl(22);
  const { code, stderr } = await curl(['-L', 'http://a/'], { PATH: directory.path });
  assert.deepEqual([code, stderr], [1, 'curl: (6) said\n']);
});

test('without a curl in the image requests that need it exit with code 127 and a message', async () => {
  await using directory = await privateDirectory('curl');
  const { code, stdout, stderr } = await curl(['-L', 'http://me:hunter2@a/'], { PATH: directory.path });
  assert.deepEqual([code, stdout], [127, '']);
  assert.match(stderr, /^healthcheck_curl: curl: command not found; these arguments need the image's curl: .*\n$/);
  assert.doesNotMatch(stderr, /hunter2/);
});

test('a server that never responds, or never ends its response, is curl error 28 at the deadline', async () => {
  await using silent = await listenTcp(() => {});
  await using endless = await listenHttp((_request, response) => void response.writeHead(200).write('12345'));
  // Concurrently, because each takes until the deadline, which leaves a busy machine time for what precedes it.
  const env = { HEALTHCHECK_CURL_MAX_TIME: '4.3' };
  const [unanswered, unended] = await Promise.all([
    curl([`127.0.0.1:${silent.port}`], env),
    curl([`127.0.0.1:${endless.port}`], env),
  ]);
  assert.equal(unanswered.code, 1);
  assert.match(unanswered.stdout, /^\n000 127\.0\.0\.1:\d+ \d+\.\d{6} seconds\n$/);
  assert.match(unanswered.stderr, /^curl: \(28\) Operation timed out after \d+ milliseconds with 0 bytes received\n$/);
  assert.match(unended.stderr, /\(28\).* with 5 bytes received/);
});

for (const [what, say, number] of [
  ['closes silently', '', 52],
  ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 1],
  ['disconnects within its body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123', 18],
] as const)
  test(`a server that ${what} is curl error ${number}`, async () => {
    await using server = await listenTcp((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(say));
    });
    const { code, stderr } = await curl([`127.0.0.1:${server.port}`]);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`^curl: \\(${number}\\) `));
  });

test('a refused connection is curl error 7, an unknown name is curl error 6', async () => {
  const port = await freePort();
  const { code, stdout, stderr } = await curl([`localhost:${port}`]);
  assert.deepEqual({ code, stdout: stdout.slice(0, 5) }, { code: 1, stdout: '\n000 ' });
  assert.equal(stderr, `curl: (7) Failed to connect to localhost port ${port}: ECONNREFUSED\n`);
  assert.match(
    (await curl(['http://kolla-pod.invalid/'])).stderr,
    /^curl: \(6\) Could not resolve host: kolla-pod\.invalid/,
  );
});

test('https requests send SNI and, as with -k, verify no certificate; IPv6 addresses are in brackets', async (t) => {
  const authority = makeAuthority('somebody');
  const { certificate: cert, key } = authority.issue({ commonName: 'other', hosts: ['other.example'] });
  const server = createServer({ cert, key }, (_request, response) => void response.end()).listen(0, '::1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { code, stdout, stderr } = await curl([`https://[::1]:${port}/`]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, new RegExp(`^\\n200 ::1:${port} `));
  assert.match((await curl([`http://[::1]:${port}/`])).stderr, /^curl: \((?:52|56|1|22)\) /);
});

test("a time beyond a timer's maximum is clamped", async () => {
  await using server = await answering(200);
  for (const time of ['3000000', '999999999', '0']) {
    const said = await curl([`127.0.0.1:${server.port}`], { HEALTHCHECK_CURL_MAX_TIME: time });
    assert.deepEqual([said.code, said.stderr], [0, '']);
  }
});

test('a password is never repeated', async () => {
  const { stderr, stdout } = await curl(['-u', 'me:hunter2', `http://me:hunter2@127.0.0.1:${await freePort()}`]);
  assert.match(stderr, /^curl: \(7\)/);
  assert.doesNotMatch(stderr + stdout, /hunter2/);
});

test('a URL is parsed as by curl', () => {
  const read = (text: string) => {
    const target = parseTarget(text);
    assert.ok(target, text);
    const { isTls, host, port, path, authority } = target;
    return [isTls, host, port, path, authority];
  };
  assert.deepEqual(read('a'), [false, 'a', 80, '/', 'a']);
  assert.deepEqual(read('HTTPS://a:443/x?y#z'), [true, 'a', 443, '/x?y', 'a']);
  assert.deepEqual(read('[::1]:8080/x'), [false, '::1', 8080, '/x', '[::1]:8080']);
  assert.deepEqual(read('http://a:/'), [false, 'a', 80, '/', 'a']);
  assert.deepEqual(read('http://u:p@a?x@y'), [false, 'a', 80, '/?x@y', 'a']);
});

test('a full disk behind stdout and a reader that has exited give 1 and the reason', async () => {
  await using server = await answering(200);
  const line = (to: string) =>
    `"$0" "$1" healthcheck_curl 127.0.0.1:${server.port} ${to}; echo "\${PIPESTATUS[0]}" >&2`;
  const say = (to: string) => run('bash', ['--norc', '-c', line(to), process.execPath, HELPERS], { env: {} });
  assert.match((await say('> /dev/full')).stderr, /^healthcheck_curl: cannot write to stdout: ENOSPC.*\n1\n$/);
  assert.match((await say('| true')).stderr, /^(?:healthcheck_curl: .*\n1|0)\n$/);
});

test('SIGTERM and Ctrl-C end the check at once, as if killed by the signal', async () => {
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    const connected = Promise.withResolvers<void>();
    await using server = await listenTcp(() => connected.resolve());
    await using running = await startHelper('healthcheck_curl', [`127.0.0.1:${server.port}`]);
    await connected.promise;
    process.kill(running.pid, signal);
    assert.equal(await running.ended, code);
  }
});
