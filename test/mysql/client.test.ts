/** Our own client, on scripted servers. Both engines: test/contract/mysql.test.ts. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openReader } from '../../src/mysql/client/session.ts';
import type { MysqlTarget } from '../../src/mysql/index.ts';
import { cachingProof, nativeProof } from '../../src/mysql/proofs.ts';
import { column, faulty, greeting, OK, packet, packets, refusal, result, scripted } from '../support/mysql-packets.ts';
import { listenTcp } from '../support/server.ts';

function targetAt(port: number): MysqlTarget {
  return { host: '127.0.0.1', port, user: 'u', password: 'p', database: '' };
}

const LOGIN = [packet(0, greeting()), packet(2, OK)];
const [LONG, LONGLONG, DECIMAL] = [3, 8, 246];

test('a result has numbers, texts, NULL, and numbers that are too large as text', async (t) => {
  const columns = [column('n', LONG), column('big', LONGLONG), column('exact', DECIMAL), column('Ü'), column('none')];
  const rows = [
    ['7', '9007199254740993', '1.50', 'größer', null],
    ['-1', '12', '0', '', 'x'.repeat(250)],
  ];
  const script = scripted([...LOGIN, packets(1, ...result(columns, rows)), packets(1, ...result(columns, [])), 'end']);
  await using server = await listenTcp(script);
  await using session = await openReader(targetAt(server.port), { signal: t.signal });
  assert.deepEqual(await session.rows('SELECT 1'), [
    { n: 7, big: '9007199254740993', exact: '1.50', Ü: 'größer', none: null },
    { n: -1, big: 12, exact: '0', Ü: '', none: 'x'.repeat(250) },
  ]);
  assert.deepEqual(await session.rows('SELECT 2'), []);
});

test("the server's error has its number and text, and the session goes on", async (t) => {
  const answer = packets(1, ...result([column('a')], [['b']]));
  const script = scripted([...LOGIN, packet(1, refusal(1146, "#42S02Table 'd.t' doesn't exist")), answer, 'end']);
  await using server = await listenTcp(script);
  await using session = await openReader(targetAt(server.port), { signal: t.signal });
  await assert.rejects(session.rows('SELECT'), { errno: 1146, sqlMessage: "Table 'd.t' doesn't exist" });
  assert.deepEqual(await session.rows('SELECT'), [{ a: 'b' }]);
});

test('an abort ends a login and a query with its reason', async () => {
  for (const steps of [[packet(0, greeting())], LOGIN]) {
    const stop = new AbortController();
    await using server = await listenTcp((socket) => {
      let heard = 0;
      scripted(steps)(socket);
      socket.on('data', () => (heard++, heard === steps.length && stop.abort(new Error('enough'))));
    });
    const asked = (async () => {
      await using session = await openReader(targetAt(server.port), { signal: stop.signal });
      await session.rows('SELECT 1');
    })();
    await assert.rejects(asked, /^Error: enough$/);
  }
});

test('random faults in what a server sends are a result, or an error in words', async (t) => {
  const good = Buffer.concat([
    ...LOGIN,
    packets(
      1,
      ...result(
        [column('a'), column('b', LONG)],
        [
          ['x', '1'],
          [null, '2'],
        ],
      ),
    ),
  ]);
  const seen = new Set<string>();
  for (let seed = 0; seed < 400; seed++) {
    await using server = await listenTcp((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end(faulty(good, seed)),
    );
    try {
      await using session = await openReader(targetAt(server.port), { signal: t.signal });
      assert.ok(Array.isArray(await session.rows('SELECT')));
      seen.add('rows');
    } catch (error) {
      assert.match(
        (error as Error).constructor.name,
        /^(?:Error|UnavailableError|ResponseTooLargeError|TlsAlertError)$/,
        `seed ${seed}: ${String(error)}`,
      );
      seen.add((error as Error).message.replace(/:.*/s, ''));
    }
  }
  // The faults reach every part: a greeting, a login, a result.
  assert.ok(seen.size >= 6, [...seen].join('\n'));
});

test('proofs are those that servers verify', () => {
  const digest = (name: string, ...parts: Uint8Array[]) =>
    parts.reduce((hash, part) => hash.update(part), createHash(name)).digest();
  const xor = (a: Uint8Array, b: Uint8Array) => a.map((byte, i) => byte ^ b[i]!);
  for (const password of ['a', 'größer', 'x'.repeat(300)].map((text) => Buffer.from(text))) {
    const nonce = randomBytes(20);
    // The server has the hash of the hash: it recovers the hash, and compares.
    const native = digest('sha1', digest('sha1', password));
    const once = xor(nativeProof(password, nonce), digest('sha1', nonce, native));
    assert.deepEqual(digest('sha1', once), native);
    const caching = digest('sha256', digest('sha256', password));
    const first = xor(cachingProof(password, nonce), digest('sha256', caching, nonce));
    assert.deepEqual(digest('sha256', first), caching);
  }
  for (const proof of [nativeProof, cachingProof]) assert.equal(proof(Buffer.alloc(0), randomBytes(20)).length, 0);
});
