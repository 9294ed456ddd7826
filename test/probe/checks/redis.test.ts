import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { redis } from '../../../src/probe/checks/redis.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { listenTcp } from '../../support/server.ts';
import { asked, reasonAwaiting, reasonOf } from './asked.ts';

/** Answers commands in order, and records them. */
async function answering(...answers: string[]) {
  const told: string[] = [];
  const server = await listenTcp((socket) => {
    socket.on('data', (chunk: Buffer) => {
      told.push(chunk.toString());
      const answer = answers[told.length - 1];
      if (answer !== undefined) socket.write(`${answer}\r\n`);
    });
  });
  return Object.assign(server, { told });
}

test('a server that answers PING with PONG is healthy', async () => {
  await using server = await answering('+PONG');
  assert.deepEqual(await asked(redis, [`127.0.0.1:${server.port}`]), { healthy: true, detail: 'answers PING' });
  assert.equal(server.told[0], '*1\r\n$4\r\nPING\r\n');
});

test("logs in with the file's exact password, except for a trailing line break", async () => {
  await using directory = await privateDirectory('redis');
  const file = join(directory.path, 'password');
  await writeFile(file, 'pä ss\r\nword\n');
  await using server = await answering('+OK', '+PONG');
  const place = `127.0.0.1:${server.port}`;
  assert.equal((await asked(redis, [place, '--user', 'probe', '--password-file', file])).healthy, true);
  assert.equal(server.told[0], '*3\r\n$4\r\nAUTH\r\n$5\r\nprobe\r\n$12\r\npä ss\r\nword\r\n');
});

for (const [answer, reason] of [
  ['-LOADING Redis is loading the dataset in memory', /still loading its data from disk/],
  ["-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", /lost its primary/],
  ['-NOAUTH Authentication required.', /requires a password: give --password-file/],
  ['-MISCONF Redis is configured to save RDB snapshots', /cannot save to disk/],
  ['-ERR max number of clients reached', /maxclients/],
  ['-SURPRISE what', /^SURPRISE what$/],
  ['+QUEUED', /not Redis/],
  ['HTTP/1.1 400 Bad Request', /the server is not Redis/],
] as const) {
  test(`'${answer}' is unhealthy with its reason`, async () => {
    await using server = await answering(answer);
    assert.match(await reasonOf(redis, [`127.0.0.1:${server.port}`]), reason);
  });
}

test('a rejected login and an unexpected password are distinguished, without the password', async () => {
  for (const [answer, reason] of [
    ['-WRONGPASS invalid username-password pair or user is disabled.', /rejects the login/],
    ['-ERR AUTH <password> called without any password configured for the default user.', /has no password/],
  ] as const) {
    await using server = await answering(answer);
    const said = await reasonOf(redis, [`127.0.0.1:${server.port}`], { KOLLA_PROBE_PASSWORD: 'hidden' });
    assert.match(said, reason);
    assert.doesNotMatch(said, /hidden/);
  }
});

test('a server that accepts the connection and stays silent is reported as frozen at the deadline', async () => {
  await using server = await listenTcp(() => {});
  assert.match(
    await reasonAwaiting(redis, [`127.0.0.1:${server.port}`], /^connected/),
    /^no response in 1m: connected, but received no response: it may be frozen/,
  );
});

test('a missing password file is a reason that names it', async () => {
  assert.match(
    await reasonOf(redis, ['127.0.0.1', '--password-file', '/nowhere/password']),
    /cannot read \/nowhere\/password, given by --password-file/,
  );
});
