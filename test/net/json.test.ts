import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { askJson } from '../../src/net/json.ts';

test('an abort by the caller rejects with its reason, whose code is a number', async (t) => {
  const server = createServer();
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const stop = new AbortController();
  const asked = assert.rejects(askJson({ method: 'GET', url }, { signal: stop.signal, answerMs: 600_000 }), {
    name: 'AbortError',
  });
  await once(server, 'request');
  stop.abort();
  await asked;
});
