import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { connect, isPassing, type MysqlTarget } from '../../src/mysql/index.ts';
import { freePort } from '../../tools/port.ts';

function targetAt(port: number): MysqlTarget {
  return { host: '127.0.0.1', port, user: 'u', password: 'p', database: 'd' };
}

/** Accepts connections and never sends a greeting, like a frozen server. */
async function silentServer(): Promise<{ port: number; sockets: ReadonlySet<Socket> } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    sockets,
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

test('a server that never greets times out, as a temporary error', async (t) => {
  await using server = await silentServer();
  await assert.rejects(connect(targetAt(server.port), { signal: t.signal, handshakeMs: 50 }), (error: unknown) =>
    isPassing(error),
  );
});

test("an abort ends a handshake with the signal's reason", async () => {
  await using server = await silentServer();
  const stop = new AbortController();
  const reason = new Error('enough');
  const connected = connect(targetAt(server.port), { signal: stop.signal });
  setImmediate(() => stop.abort(reason));
  await assert.rejects(connected, reason);
});

test('an abort while the client is loaded opens no connection', async () => {
  await using server = await silentServer();
  const stop = new AbortController();
  const reason = new Error('enough');
  const connected = connect(targetAt(server.port), { signal: stop.signal, handshakeMs: 200 });
  stop.abort(reason);
  await assert.rejects(connected, reason);
  assert.equal(server.sockets.size, 0);
});

test('a refused connection is temporary', async (t) => {
  await assert.rejects(connect(targetAt(await freePort()), { signal: t.signal }), (error: unknown) => isPassing(error));
});
