import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { Client, type Request } from '../../src/provision/converge/client.ts';
import { ConflictError } from '../../src/provision/converge/conflict.ts';
import { DeadlineError } from '../../src/core/errors.ts';
import type { Log } from '../../src/core/log.ts';
import { freePort } from '../../tools/port.ts';
import { listenHttp } from '../support/server.ts';

const GET: Request = { method: 'GET', path: '/x', doing: 'read x' };
const quiet: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => quiet };

function client(
  ports: readonly [number, ...number[]],
  { deadline = new AbortController().signal, log = quiet } = {},
): Client {
  const [first, ...rest] = ports.map((port) => new URL(`http://127.0.0.1:${port}/v3`)) as [URL, ...URL[]];
  const signal = new AbortController().signal;
  return new Client({
    name: 'Keystone',
    bases: [first, ...rest],
    signal,
    deadline,
    timeoutMs: 1000,
    log,
    trust: { insecure: false },
  });
}

/** Answers requests in order; the last response is repeated. */
function script(...answers: ((request: IncomingMessage, response: ServerResponse) => void)[]) {
  let asked = 0;
  return listenHttp((request, response) => answers[Math.min(asked++, answers.length - 1)]!(request, response));
}

const status = (code: number) => (_: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(code).end('{"a":1}');
const reset = ({ socket }: IncomingMessage) => void socket.resetAndDestroy();

test('a response has a status and a body; request paths are relative to the base URL', async () => {
  await using server = await listenHttp((request, response) => void response.end(JSON.stringify({ url: request.url })));
  assert.deepEqual((await client([server.port]).send(GET)).body, { url: '/v3/x' });
});

test('5xx, 429 and connection resets are retried and logged', async () => {
  const said: string[] = [];
  const log = { ...quiet, info: (text: string) => void said.push(text) };
  await using server = await script(status(503), status(429), reset, status(404));
  assert.equal((await client([server.port], { log }).send(GET)).status, 404);
  assert.match(said.join('\n'), /it answers 503\n.*it answers 429\n.*ECONNRESET\nKeystone is reachable again/);
});

for (const [method, what, answer] of [
  ['POST', 'a reset', reset],
  ['POST', '500', status(500)],
  ['PATCH', '503', status(503)],
] as const) {
  test(`a ${method} whose response was lost by ${what} is not repeated: its result is unknown until the object is read`, async () => {
    let asked = 0;
    const over = new AbortController();
    await using server = await script((...args) => {
      asked++;
      if (asked === 4) over.abort();
      answer(...args);
    });
    const post = { ...GET, method, body: {} };
    await assert.rejects(client([server.port]).send(post), ConflictError);
    assert.equal(asked, 1);
    await assert.rejects(
      client([server.port], { deadline: over.signal }).send({ ...post, isRepeatable: true }),
      DeadlineError,
    );
    assert.equal(asked, 4);
  });
}

test('a POST that did not reach a server is repeated', async () => {
  const port = await freePort();
  const sent = client([port]).send({ ...GET, method: 'POST', body: {} });
  await using _ = await listenHttp((_request, response) => void response.end('{}'), port);
  assert.equal((await sent).status, 200);
});

test('a client tries the next host if one is down, and prefers it from then on', async () => {
  await using server = await script(status(200));
  const both = client([await freePort(), server.port]);
  assert.equal((await both.send(GET)).status, 200);
  assert.equal((await both.send(GET)).status, 200);
});

test('the error at the deadline names the operation and the last state', async () => {
  const port = await freePort();
  const over = new AbortController();
  // The deadline passes once the first attempt has failed, however long that takes.
  const log = { ...quiet, info: () => over.abort() };
  await assert.rejects(
    client([port], { deadline: over.signal, log }).send(GET),
    (error: Error) => error instanceof DeadlineError && /could not read x within 1s.*ECONNREFUSED/.test(error.message),
  );
});
