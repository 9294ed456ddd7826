/** kolla-probe serve with hostile checks and clients. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { connected } from '../../net/http/server-cases.ts';
import { isOnCore } from '../../support/helper.ts';
import { listenHttp } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { get, started } from './serve-support.ts';

const HANGING = 'period: 10m, timeout: 10m';

test('hanging checks delay neither another one, nor a probe, nor the shutdown', async () => {
  const hung: IncomingMessage[] = [];
  await using silent = await listenHttp((request) => void hung.push(request));
  let asked = 0;
  await using service = await listenHttp((_, response) => {
    asked++;
    response.end();
  });
  const url = `http://127.0.0.1:${silent.port}/`;
  await using serve = await started(
    [
      'checks:',
      `  one: { run: "http ${url}one", ${HANGING} }`,
      `  two: { run: "http ${url}two", ${HANGING} }`,
      `  program: { run: "command -- sleep 600", ${HANGING} }`,
      `  quick: { run: "http http://127.0.0.1:${service.port}/", for: startup, period: 100ms, timeout: 90ms }`,
      '',
    ].join('\n'),
  );
  await until('both to hang', async () => hung.length === 2 || undefined);
  const before = asked;
  await until('the quick check to run ten times more', async () => asked >= before + 10 || undefined);
  // The check is unhealthy until its next run if the machine stalled for longer than the timeout.
  await until('it to be healthy', async () => (await get(serve.port, '/startupz')).status === 200 || undefined);
  assert.equal((await get(serve.port, '/readyz')).body, 'waiting\n');
  const closed = hung.map(async ({ socket }) => await once(socket, 'close'));
  process.kill(serve.pid, 'SIGTERM');
  assert.equal(await serve.ended, 143);
  await Promise.all(closed);
});

const ROUNDS = 20;
const GIANT_BYTES = 8 * 1024 * 1024;
/** A small part of everything that is sent. V8 lets its heap grow before it collects garbage. */
const GROWTH_MAX_BYTES = (isOnCore ? 2 : 128) * 1024 * 1024;

test('slow, numerous or permanent clients delay no probe, and use no memory afterwards', async () => {
  let asked = 0;
  await using service = await listenHttp((_: IncomingMessage, response: ServerResponse) => {
    asked++;
    response.end();
  });
  const run = `http http://127.0.0.1:${service.port}/`;
  await using serve = await started(`checks: { api: { run: "${run}", period: 100ms, timeout: 90ms } }\n`);
  await until('the first verdict', async () => (await get(serve.port, '/readyz')).status === 200 || undefined);
  await hostile(serve.port);
  const before = await residentBytes(serve.port);
  for (let i = 0; i < ROUNDS; i++) await hostile(serve.port);
  const growth = (await residentBytes(serve.port)) - before;
  assert.ok(growth < GROWTH_MAX_BYTES, `${growth} bytes more`);
  const seen = asked;
  await until('the check to run again', async () => asked > seen || undefined);
});

/** Two hundred open connections, some with partial requests, one with a header and one with a body of megabytes; and a probe. */
async function hostile(port: number): Promise<void> {
  const held = await Promise.all(Array.from({ length: 200 }, () => connected(port)));
  for (const [i, socket] of held.entries()) if (i % 2 === 0) socket.write('GET /readyz HTTP/1.1\r\nHo');
  const giants = ['GET /readyz HTTP/1.1\r\nX: ', 'POST /readyz HTTP/1.1\r\nHost: x\r\n\r\n'].map(async (begin) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(begin + 'x'.repeat(GIANT_BYTES));
    return await text(socket);
  });
  const [head = '', body = ''] = await Promise.all(giants);
  assert.match(head, /^HTTP\/1\.1 431 /);
  assert.match(body, /^HTTP\/1\.1 404 /);
  assert.equal((await get(port, '/livez')).status, 200);
  for (const socket of held) socket.destroy();
}

async function residentBytes(port: number): Promise<number> {
  const { body } = await get(port, '/metrics');
  return Number(/^process_resident_memory_bytes (\d+)$/m.exec(body)?.[1]);
}
