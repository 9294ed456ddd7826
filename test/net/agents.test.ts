import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf } from '../../src/core/errors.ts';
import { DialingHttpAgent } from '../../src/net/agents.ts';
import { exchange } from '../../src/net/client.ts';
import { freePort } from '../../tools/port.ts';
import { listenHttp, listenTcp } from '../support/server.ts';
import { startSilentServer } from '../support/silent-server.ts';

const urlOf = (port: number) => new URL(`http://127.0.0.1:${port}/`);

test('requests beyond maxSockets wait for a connection', async (t) => {
  let [open, most] = [0, 0];
  await using server = await listenHttp((_, response) => {
    most = Math.max(most, ++open);
    response.once('finish', () => open--);
    setImmediate(() => response.end('ok'));
  });
  using agent = disposable(new DialingHttpAgent({ keepAlive: true, maxSockets: 1 }));
  const asks = Array.from({ length: 5 }, () =>
    exchange({ url: urlOf(server.port), agent: agent.it, signal: t.signal }),
  );
  assert.deepEqual(
    (await Promise.all(asks)).map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  assert.equal(most, 1);
});

test('a connection that fails does not leave later requests in the queue', async (t) => {
  const url = urlOf(await freePort());
  using agent = disposable(new DialingHttpAgent({ maxSockets: 1 }));
  const asks = Array.from({ length: 3 }, () => exchange({ url, agent: agent.it, signal: t.signal }));
  for (const { status, reason } of (await Promise.allSettled(asks)) as PromiseRejectedResult[]) {
    assert.equal(status, 'rejected');
    assert.equal((reason as NodeJS.ErrnoException).code, 'ECONNREFUSED');
  }
});

test('an aborted request does not end the connection of the next one', async (t) => {
  await using silent = await startSilentServer('127.0.0.1', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  using agent = disposable(new DialingHttpAgent({ maxSockets: 1 }));
  const stop = new AbortController();
  const first = exchange({ url: urlOf(silent.port), agent: agent.it, signal: stop.signal });
  const second = exchange({ url: urlOf(silent.port), agent: agent.it, signal: t.signal });
  stop.abort(new Error('enough'));
  await assert.rejects(first, /enough/);
  silent.answer();
  assert.equal((await second).body.toString(), 'ok');
});

test('the connection timeout and destroy() end the opening of a connection', async (t) => {
  await using silent = await startSilentServer();
  using late = disposable(new DialingHttpAgent({ connectMs: 10 }));
  const url = urlOf(silent.port);
  await assert.rejects(exchange({ url, agent: late.it, signal: t.signal }), /no connection in 0.01 s/);
  const agent = new DialingHttpAgent();
  const asked = exchange({ url, agent, signal: t.signal });
  setImmediate(() => agent.destroy());
  await assert.rejects(asked, /the agent is closed/);
});

test('a server that ends the connection before the TLS handshake is told as such', async (t) => {
  await using server = await listenTcp((socket) => socket.once('data', () => socket.end()));
  const asked = exchange({ url: new URL(`https://127.0.0.1:${server.port}/`), signal: t.signal });
  // Its `path` is null, and not undefined.
  await assert.rejects(asked, (error: Error) => messageOf(error).startsWith('ECONNRESET: Client network socket'));
});

function disposable(it: DialingHttpAgent) {
  return { it, [Symbol.dispose]: () => it.destroy() };
}
