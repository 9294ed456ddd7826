/** Peers that send without end. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { openReader } from '../../src/mysql/client/session.ts';
import { connect } from '../../src/mysql/index.ts';
import { get } from '../../src/net/codec/get.ts';
import { converse } from '../../src/net/dial/conversation.ts';
import { askJson } from '../../src/net/json.ts';
import { requestOnce } from '../../src/net/request-once.ts';
import { listenTcp } from '../support/server.ts';

/** Sends the beginning, and then a piece again and again. */
function endless(begin: string | Buffer, piece: string | Buffer): (socket: Socket) => void {
  return (socket) => {
    socket.on('error', () => {});
    const more = () => void (socket.destroyed || socket.write(piece, more));
    socket.write(begin, more);
  };
}

const OK = 'HTTP/1.1 200 OK\r\n';
const PIECE = 'x'.repeat(65_536);

test('a JSON response is limited', async (t) => {
  await using server = await listenTcp(endless(`${OK}\r\n`, PIECE));
  const call = { method: 'GET', url: new URL(`http://127.0.0.1:${server.port}/`) };
  await assert.rejects(askJson(call, { signal: t.signal, answerMs: 60_000 }), {
    name: 'ResponseTooLargeError',
    message: 'a response of more than 16 MiB',
  });
});

test('of a response to a probe only the beginning is read', async (t) => {
  await using server = await listenTcp(endless(`${OK}\r\n`, PIECE));
  for (const method of ['GET', 'POST']) {
    const url = new URL(`http://127.0.0.1:${server.port}/`);
    assert.deepEqual((await requestOnce(url, { signal: t.signal, method, awaitsBody: () => true })).status, 200);
  }
});

test('the head of a response is limited', async (t) => {
  await using server = await listenTcp(endless(OK, `x: ${PIECE.slice(0, 1000)}\r\n`));
  const to = { host: '127.0.0.1', port: server.port };
  await assert.rejects(get({ to, target: '/', headers: [], signal: t.signal }), /a head of more than 307200 bytes/);
  const call = { method: 'GET', url: new URL(`http://127.0.0.1:${server.port}/`) };
  await assert.rejects(
    askJson(call, { signal: t.signal, answerMs: 60_000 }),
    /^ResponseTooLargeError: a response head of more than 300 KiB$/,
  );
});

test('a greeting is limited, whether or not it is awaited', async (t) => {
  await using server = await listenTcp(endless('', PIECE));
  const to = { host: '127.0.0.1', port: server.port };
  const tooLarge = { name: 'ResponseTooLargeError', message: 'a response of more than 64 KiB' };
  using hearing = await converse(to, { signal: t.signal });
  await assert.rejects(
    hearing.hear(() => undefined),
    tooLarge,
  );
  using ending = await converse(to, { signal: t.signal });
  await assert.rejects(ending.end(), tooLarge);
});

test("MySQL's handshake is limited", async (t) => {
  // A packet of the maximum size, which is continued by the next one.
  const packet = Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0]), Buffer.alloc(0xff_ff_ff, 0x0a)]);
  await using server = await listenTcp(endless(packet, packet));
  const target = { host: '127.0.0.1', port: server.port, user: 'u', password: 'p', database: '' };
  await assert.rejects(connect(target, { signal: t.signal, handshakeMs: 60_000 }), {
    name: 'ResponseTooLargeError',
    message: 'a response of more than 16 MiB',
  });
  await assert.rejects(openReader(target, { signal: t.signal }), {
    name: 'ResponseTooLargeError',
    message: 'a response of more than 64 KiB',
  });
});
