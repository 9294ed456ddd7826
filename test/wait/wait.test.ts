import assert from 'node:assert/strict';
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { DeadlineError, NotPermittedError, SignalError, UnavailableError } from '../../src/core/errors.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { listenHttp, listenTcp } from '../support/server.ts';
import { scriptedClient, seen, wait } from './support.ts';

test('a server that starts later is waited for, and every change is one line', async () => {
  const port = await freePort();
  await using servers = new AsyncDisposableStack();
  const { done, messages } = wait([`tcp://127.0.0.1:${port}`], {
    onLine: (line) => {
      if (line.includes('ECONNREFUSED'))
        void listenTcp(() => {}, '127.0.0.1', port).then((server) => servers.use(server));
    },
  });
  await done;
  const [began, refused, met, ...more] = messages();
  assert.equal(began, `waiting for tcp://127.0.0.1:${port}`);
  assert.equal(refused, `tcp://127.0.0.1:${port}: connection refused by 127.0.0.1:${port} (ECONNREFUSED)`);
  assert.match(met ?? '', /: ready after .*: accepts connections$/);
  assert.deepEqual(more, []);
});

test('an http dependency is ready at a status below 400, and not before', async () => {
  let requests = 0;
  await using server = await listenHttp((_, response) => {
    response.writeHead(++requests < 3 ? 503 : 300).end();
  });
  const { done, messages } = wait([`http://127.0.0.1:${server.port}/`]);
  await done;
  assert.equal(requests, 3);
  assert.ok(messages().some((message) => message.endsWith(': status 503')));
  assert.match(messages().at(-1) ?? '', /ready after .*: status 300$/);
});

test('the deadline names every pending dependency, its last state, and the next command', async () => {
  await using met = await listenTcp(() => {});
  const [first, second] = [await freePort(), await freePort()];
  const { done } = wait([`tcp://127.0.0.1:${met.port}`, `tcp://127.0.0.1:${first}`, `http://127.0.0.1:${second}/`], {
    timeoutMs: 4000,
  });
  await assert.rejects(done, (error) => {
    assert.ok(error instanceof DeadlineError);
    assert.match(
      error.message,
      /^not ready after 4s: tcp:\S+ \(connection refused by \S+ \(ECONNREFUSED\), for [\d.]+m?s; next: kubectl \S+/,
    );
    assert.ok(error.message.includes(`http://127.0.0.1:${second}/`));
    assert.ok(!error.message.includes(`:${met.port}`));
    return true;
  });
});

test('SIGTERM ends a wait at once', async () => {
  const stop = new AbortController();
  const { done } = wait([`tcp://127.0.0.1:${await freePort()}`], {
    signal: stop.signal,
    onLine: (line) => {
      if (line.includes('ECONNREFUSED')) stop.abort(new SignalError('SIGTERM'));
    },
  });
  await assert.rejects(done, SignalError);
});

test('a dependency that can never become ready ends the wait for all', async () => {
  const kube = () => Promise.reject(new UnavailableError('no way'));
  const { done } = wait([`tcp://127.0.0.1:${await freePort()}`, 'job/sync'], { kube });
  await assert.rejects(done, /no way/);
});

test('the same warning of two waiters is logged once', async () => {
  const client = scriptedClient({
    one(_, { warn }) {
      warn('may not watch');
      return [seen({ status: { conditions: [{ type: 'Complete', status: 'True' }] } })];
    },
  });
  const { done, messages } = wait(['job/a', 'job/b'], { kube: () => Promise.resolve(client) });
  await done;
  assert.equal(messages().filter((message) => message === 'may not watch').length, 1);
});

test('a dependency may have its own timeout, which ends the wait and names all pending ones', async () => {
  const [first, second] = [await freePort(), await freePort()];
  const { done } = wait([`tcp://127.0.0.1:${first}?timeout=300ms`, `tcp://127.0.0.1:${second}`]);
  await assert.rejects(done, (error) => {
    assert.ok(error instanceof DeadlineError);
    assert.match(error.message, new RegExp(`^tcp://127.0.0.1:${first}.timeout=300ms not ready after its 300ms: `));
    assert.ok(error.message.includes(`:${second} (`));
    return true;
  });
});

test('a negated dependency is ready when nothing responds any more', async () => {
  const server = await listenTcp(() => {});
  const { done, messages } = wait([`!tcp://127.0.0.1:${server.port}`], {
    onLine: (line) => {
      if (line.includes(': accepts connections')) void server[Symbol.asyncDispose]();
    },
  });
  await done;
  assert.match(messages().at(-1) ?? '', /ready after .*: connection refused by \S+ \(ECONNREFUSED\)$/);
});

test('a missing file and a dangling link satisfy a negated dependency', async () => {
  await using directory = await privateDirectory('negated');
  const [none, link] = [join(directory.path, 'none'), join(directory.path, 'link')];
  await symlink(none, link);
  const { done, messages } = wait([`!file:${none}`, `!socket:${none}`, `!file:${link}`]);
  await done;
  const ends = messages().flatMap((message) => /ready after [^:]*: (.*)$/.exec(message)?.[1] ?? []);
  assert.deepEqual(ends.toSorted(), [`a link to ${none}, which does not exist`, 'does not exist', 'does not exist']);
});

test('an inaccessible object does not count as absent', async () => {
  await using directory = await privateDirectory('negated');
  const loop = join(directory.path, 'loop');
  await symlink(loop, loop);
  const { done, messages } = wait([`!file:${loop}`, `!socket:${loop}`], {
    onLine: (line) => {
      if (line.includes(`!socket:${loop}: is not accessible: ELOOP`)) void rm(loop);
    },
  });
  await done;
  assert.ok(messages().includes(`!file:${loop}: is not accessible: ELOOP`));
});

test('a denial for one of several dependencies names the command that prints the Roles of all', async () => {
  const kube = () => Promise.reject(new NotPermittedError('apply this:\nkind: Role\n'));
  const { done } = wait(['job/a', 'job/b', 'file:/no/such'], { kube });
  await assert.rejects(done, (error) => {
    assert.ok(error instanceof NotPermittedError);
    assert.equal(
      error.message,
      'apply this:\nkind: Role\n# for one of 2 waits; kolla-init rbac with the same waits prints the Roles of all\n',
    );
    return true;
  });
  await assert.rejects(wait(['job/a'], { kube }).done, { message: 'apply this:\nkind: Role\n' });
});
