import { text } from 'node:stream/consumers';
import assert from 'node:assert/strict';
import { mkdir, readFile, rmdir } from 'node:fs/promises';
import { test } from 'node:test';
import { listenHttp, listenTcp } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { bulkServer } from './bulk-server.ts';
import { batch, delivering, sinkAt, sinkOf } from './delivering.ts';
import type { Sink } from '../../../src/logship/sink/sink.ts';
import { allCreated } from '../../support/bulk-reply.ts';

test('only documents with 429 are sent again', async () => {
  await using server = await bulkServer({ document: (id, number) => (id === 'b' && number < 3 ? 429 : 201) });
  await using d = await delivering(sinkAt(server.url));
  await d.deliver(batch('a', 'b', 'c'));
  assert.deepEqual(server.requests, [['a', 'b', 'c'], ['b'], ['b']]);
  assert.deepEqual(d.settled, ['a', 'c', 'b']);
  assert.deepEqual([d.counts.acknowledged, d.counts.retried, d.counts.already], [3, 2, 0]);
});

test('requests become smaller while the server is overloaded, and larger afterwards', async () => {
  await using server = await bulkServer({ document: (id, number) => (id === 'b' && number < 3 ? 429 : 201) });
  await using d = await delivering(sinkAt(server.url));
  const before = d.capacity.bytes;
  await d.deliver(batch('a', 'b'));
  const after = d.capacity.bytes;
  assert.ok(after <= before / 2, `${after} of ${before}`);
  assert.equal(d.capacity.requests, 1);
  await d.deliver(batch('c'));
  assert.ok(d.capacity.bytes > after);
});

test('a request with 503 is retried as a whole, and the outage is logged once, with its end', async () => {
  await using server = await bulkServer({ request: (number) => (number < 4 ? 503 : 200) });
  await using d = await delivering(sinkAt(server.url));
  await d.deliver(batch('a', 'b'));
  assert.deepEqual(server.taken, ['a', 'b']);
  assert.equal(d.said.length, 2, d.said.join('\n'));
  assert.match(d.said[0] ?? '', /does not accept writes.*status 503: t: whole/);
  assert.match(d.said[1] ?? '', /accepts writes again/);
});

for (const [status, hint] of [
  [401, /--password-file/],
  [403, /create_doc/],
  [404, /--url/],
] as const) {
  test(`${status} delays everything until it is fixed, and logs the fix`, async () => {
    await using server = await bulkServer({ request: (number) => (number < 3 ? status : 200) });
    await using d = await delivering(sinkAt(server.url));
    await d.deliver(batch('a', 'b'));
    assert.deepEqual(d.settled, ['a', 'b']);
    assert.match(d.said[0] ?? '', hint);
    assert.equal(d.counts.rejected, 0);
  });
}

test("403 of OpenSearch names OpenSearch's permissions", async () => {
  await using server = await bulkServer({ request: (number) => (number < 3 ? 403 : 200) });
  await using d = await delivering(sinkOf('opensearch', server.url));
  await d.deliver(batch('a'));
  assert.match(d.said[0] ?? '', /needs cluster_composite_ops, and write and create_index on flog-\*/);
});

test('documents that are already indexed are settled, and counted separately', async () => {
  await using server = await bulkServer();
  await using d = await delivering(sinkAt(server.url));
  await d.deliver(batch('a'));
  await d.deliver(batch('a', 'b'));
  assert.deepEqual(server.taken, ['a', 'b']);
  assert.deepEqual([d.counts.acknowledged, d.counts.already], [2, 1]);
});

test('rejected documents are in the dead-letter file with their reasons; the others are indexed', async () => {
  await using server = await bulkServer({ document: (id) => (id === 'poison' ? 400 : 201) });
  await using d = await delivering(sinkAt(server.url));
  await d.deliver(batch('a', 'poison', 'b'));
  assert.deepEqual(server.taken, ['a', 'b']);
  assert.deepEqual(d.settled.toSorted(), ['a', 'b', 'poison']);
  assert.deepEqual(JSON.parse(await readFile(d.deadLetters.file, 'utf8')), {
    time: '1970-01-01T00:00:00.000Z',
    reason: 'status 400 t: no poison',
    index: 'i',
    id: 'poison',
    document: { Payload: 'poison' },
  });
});

test('documents that the dead-letter file cannot take are retried, and others overtake them', async () => {
  await using server = await bulkServer({ document: (id) => (id === 'poison' ? 400 : 201) });
  await using d = await delivering(sinkAt(server.url));
  await mkdir(d.deadLetters.file);
  const delivery = d.deliver(batch('a', 'poison'), batch('b'), batch('c'));
  await until('the others to be settled', () => Promise.resolve(d.settled.length === 3 || undefined));
  assert.deepEqual(d.settled.toSorted(), ['a', 'b', 'c']);
  assert.equal(d.counts.rejected, 0);
  await rmdir(d.deadLetters.file);
  await delivery;
  assert.equal(d.counts.rejected, 1);
});

test('documents for a closed index wait, and are not an outage: others overtake them', async () => {
  let isClosed = true;
  const closed = { status: 400, error: { type: 'index_closed_exception', reason: 'closed' } };
  await using server = await bulkServer({ document: (id) => (isClosed && id.startsWith('old') ? closed : 201) });
  await using d = await delivering(sinkAt(server.url));
  const delivery = d.deliver(batch('old1'), batch('new1'), batch('old2', 'new2'), batch('new3'));
  await until('the others to be indexed', () => Promise.resolve(server.taken.length === 3 || undefined));
  assert.deepEqual(server.taken.toSorted(), ['new1', 'new2', 'new3']);
  isClosed = false;
  await delivery;
  assert.deepEqual(d.settled.length, 5);
  assert.equal(d.counts.rejected, 0);
  assert.doesNotMatch(d.said.join('\n'), /does not accept writes/);
});

test('if no item is accepted that is an outage, even if each is rejected individually', async () => {
  await using server = await bulkServer({ document: (_, number) => (number < 4 ? 403 : 201) });
  await using d = await delivering(sinkAt(server.url));
  await d.deliver(batch('a'), batch('b'));
  assert.match(d.said.join('\n'), /does not accept writes.*status 403/);
  assert.equal(d.outage.current, undefined);
  assert.deepEqual(server.taken.toSorted(), ['a', 'b']);
});

test('a request that is too large is halved until it fits, and later ones are smaller', async () => {
  await using server = await bulkServer({ request: (_, ids) => (ids.length > 2 ? 413 : 200) });
  await using d = await delivering(sinkAt(server.url));
  const large = batch('a', 'b', 'c', 'd', 'e');
  await d.deliver(large);
  assert.deepEqual(server.taken, ['a', 'b', 'c', 'd', 'e']);
  assert.ok(d.capacity.bytes < large.body.length);
  const requests = server.requests.length;
  await d.deliver(batch('f', 'g', 'h', 'i', 'j'));
  assert.ok(
    server.requests.slice(requests).every((ids) => ids.length <= 2),
    'it has adapted',
  );
});

test('a half rejected as a whole is retried with the rest', async () => {
  await using server = await bulkServer({
    request: (number, ids) => (ids.length > 2 ? 413 : number === 3 ? 503 : 200),
    document: (id, number) => (id === 'a' && number < 3 ? 429 : 201),
  });
  await using d = await delivering(sinkAt(server.url));
  await d.deliver(batch('a', 'b', 'c', 'd'));
  assert.deepEqual(server.taken.toSorted(), ['a', 'b', 'c', 'd']);
  assert.deepEqual(d.settled.toSorted(), ['a', 'b', 'c', 'd']);
});

test('a checkpoint during the delivery of halves has the generation that may have their documents', async () => {
  const seen: unknown[] = [];
  const checkpoint = { generation: (): number | undefined => undefined };
  await using sink: Sink = {
    name: 'data stream',
    opening: () => '',
    indexGeneration: 7,
    send(sent) {
      seen.push([sent.count, sent.indexGeneration, checkpoint.generation()]);
      if (sent.count > 2) return Promise.resolve({ is: 'too large' });
      const isFirst = seen.length === 2;
      sent.indexGeneration = isFirst ? 5 : undefined;
      return Promise.resolve(isFirst ? { is: 'held', reason: 'no answer' } : { is: 'all in' });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  await using delivery = await delivering(sink);
  checkpoint.generation = () => delivery.outbox.indexGeneration;
  await delivery.deliver(batch('a', 'b', 'c', 'd'));
  assert.deepEqual(delivery.settled, ['a', 'b', 'c', 'd']);
  assert.deepEqual(seen, [
    [4, undefined, undefined],
    [2, undefined, 7],
    [2, 5, 5],
    [2, 5, 5],
  ]);
  assert.equal(delivery.outbox.indexGeneration, undefined);
});

test("a single document larger than the server's limit is a dead letter", async () => {
  const huge = `huge${'e'.repeat(64 * 1024)}`;
  await using server = await bulkServer({ request: (_, ids) => (ids.includes(huge) ? 413 : 200) });
  await using d = await delivering(sinkAt(server.url));
  await d.deliver(batch('a', huge, 'b'));
  assert.deepEqual(server.taken, ['a', 'b']);
  assert.equal(d.counts.rejected, 1);
  assert.match(await readFile(d.deadLetters.file, 'utf8'), /"status 413.*"id":"hugee+"/);
});

test("a 413 for an ordinary line is not the line's fault: it waits, and later requests grow again", async () => {
  await using server = await bulkServer({ request: (number) => (number < 6 ? 413 : 200) });
  await using d = await delivering(sinkAt(server.url));
  await d.deliver(batch('a', 'b'));
  assert.deepEqual(server.taken.toSorted(), ['a', 'b']);
  assert.equal(d.counts.rejected, 0);
  assert.match(d.said.join('\n'), /does not accept writes.*status 413 for \d+ bytes/);
  const before = d.capacity.bytes;
  for (let n = 0; n < 200; n++) d.capacity.taken();
  assert.ok(before < 100 && d.capacity.bytes >= 64 * 1024, `${before} to ${d.capacity.bytes} bytes`);
});

test('a server that closes connections is retried until it responds', async () => {
  let cuts = 0;
  await using server = await listenHttp((request, response) => {
    if (cuts++ < 3) request.socket.destroy();
    else void text(request).then((body) => response.end(allCreated(body)));
  });
  await using d = await delivering(sinkAt(new URL(`http://127.0.0.1:${server.port}`)));
  await d.deliver(batch('a'));
  assert.deepEqual(d.settled, ['a']);
});

test('a truncated reply settles nothing, whatever its start', async () => {
  let replies = 0;
  await using server = await listenTcp((socket) => {
    socket.once('data', () => {
      const isWhole = ++replies > 2;
      const reply = '{"errors":false,"items":[{"create":{"status":201}}]}';
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${isWhole ? reply.length : 1000}\r\n\r\n${reply}`);
    });
    socket.on('error', () => {});
  });
  await using d = await delivering(sinkAt(new URL(`http://127.0.0.1:${server.port}`)));
  await d.deliver(batch('a'));
  assert.equal(replies, 3);
  assert.match(d.said[0] ?? '', /does not accept writes/);
});

test("another service's page, with 200, delays everything", async () => {
  let pages = 0;
  await using server = await listenHttp((request, response) => {
    const isPage = pages++ < 2;
    void text(request).then((body) => response.end(isPage ? '<html>Welcome to nginx!</html>' : allCreated(body)));
  });
  await using d = await delivering(sinkAt(new URL(`http://127.0.0.1:${server.port}`)));
  await d.deliver(batch('a'));
  assert.deepEqual(d.settled, ['a']);
  assert.match(d.said[0] ?? '', /not a bulk reply: <html>Welcome/);
});

test('an abort stops delivery, and nothing counts as settled', async () => {
  await using server = await bulkServer({ request: () => 503 });
  const stop = new AbortController();
  await using d = await delivering(sinkAt(server.url), { signal: stop.signal });
  const delivery = d.deliver(batch('a'));
  await until('it to be rejected', () => Promise.resolve(server.requests[0]));
  stop.abort(new Error('enough'));
  await assert.rejects(delivery, /enough/);
  assert.deepEqual(d.settled, []);
});
