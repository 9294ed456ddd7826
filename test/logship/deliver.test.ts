import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { newCounts } from '../../src/logship/counts.ts';
import { DeadLetters } from '../../src/logship/dead-letter.ts';
import { deliver } from '../../src/logship/deliver.ts';
import type { Document } from '../../src/logship/document.ts';
import { Outage } from '../../src/logship/outage.ts';
import { Progress } from '../../src/logship/progress.ts';
import { elasticsearchSink } from '../../src/logship/sink/elasticsearch.ts';
import { privateFolder } from '../support/folder.ts';
import { listenHttp } from '../support/server.ts';
import { log } from './reading.ts';

/** A server that answers bulk requests as the test tells it to, and remembers what it has taken. */
async function rejecting(statusOf: (id: string, request: number) => number) {
  const taken: string[] = [];
  const requests: string[][] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const ids = await idsIn(request);
    const number = requests.push(ids);
    const whole = statusOf('', number);
    if (whole !== 200) return void response.writeHead(whole).end('{"error":{"type":"t","reason":"whole"}}');
    const items = ids.map((id) => {
      const status = taken.includes(id) ? 409 : statusOf(id, number);
      if (status === 201) taken.push(id);
      return { create: status < 300 ? { status } : { status, error: { type: 't', reason: `no ${id}` } } };
    });
    const errors = items.some(({ create }) => create.status >= 300);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ errors, items }));
  };
  const server = await listenHttp((request, response) => void answer(request, response));
  return {
    url: new URL(`http://127.0.0.1:${server.port}`),
    taken,
    requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function idsIn(request: IncomingMessage): Promise<string[]> {
  return [...(await text(request)).matchAll(/^\{"create":\{"_index":"i","_id":"([^"]+)"/gm)].map(([, id]) => id ?? '');
}

function batch(...ids: string[]): Document[] {
  const segment = new Progress({ offset: 0, skipping: false, timeMs: 0 }).begin();
  return ids.map((id) => {
    segment.left++;
    return { id, index: 'i', source: `{"Payload":"${id}"}`, segment };
  });
}

async function delivering(url: URL, signal = new AbortController().signal) {
  const folder = await privateFolder('deliver');
  const counts = newCounts();
  const settled: string[] = [];
  const said: string[] = [];
  const sink = await elasticsearchSink({
    kind: 'elasticsearch',
    url,
    user: undefined,
    password: undefined,
    caFile: undefined,
  });
  const deadLetters = new DeadLetters(folder.path, () => new Date(0));
  const stopping = AbortSignal.abort(); // so that pauses are short
  const outage = new Outage(sink.name, log(said), () => 0);
  return {
    counts,
    settled,
    said,
    deadLetters,
    deliver: (documents: Document[]) =>
      deliver(documents, {
        sink,
        counts,
        deadLetters,
        outage,
        log: log(said),
        stopping,
        signal,
        settled: ({ id }) => settled.push(id),
      }),
    async [Symbol.asyncDispose]() {
      await sink[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('of a batch only what got 429 is sent again', async () => {
  await using server = await rejecting((id, request) => (id === 'b' && request < 3 ? 429 : id === '' ? 200 : 201));
  await using d = await delivering(server.url);
  await d.deliver(batch('a', 'b', 'c'));
  assert.deepEqual(server.requests, [['a', 'b', 'c'], ['b'], ['b']]);
  assert.deepEqual(d.settled, ['a', 'c', 'b']);
  assert.deepEqual([d.counts.acknowledged, d.counts.retried, d.counts.already], [3, 2, 0]);
});

test('a request that got 503 is sent again whole, and the outage is said once, with its end', async () => {
  await using server = await rejecting((id, request) => (id === '' ? (request < 4 ? 503 : 200) : 201));
  await using d = await delivering(server.url);
  await d.deliver(batch('a', 'b'));
  assert.deepEqual(server.taken, ['a', 'b']);
  assert.equal(d.said.length, 2, d.said.join('\n'));
  assert.match(d.said[0] ?? '', /takes nothing.*status 503: t: whole/);
  assert.match(d.said[1] ?? '', /takes documents again/);
});

test('what is in already is settled, and counted apart', async () => {
  await using server = await rejecting((id) => (id === '' ? 200 : 201));
  await using d = await delivering(server.url);
  await d.deliver(batch('a'));
  await d.deliver(batch('a', 'b'));
  assert.deepEqual(server.taken, ['a', 'b']);
  assert.deepEqual([d.counts.acknowledged, d.counts.already], [2, 1]);
});

test('what is refused lies in the dead-letter file with its reason; the others are in', async () => {
  await using server = await rejecting((id) => (id === '' ? 200 : id === 'poison' ? 400 : 201));
  await using d = await delivering(server.url);
  await d.deliver(batch('a', 'poison', 'b'));
  assert.deepEqual(server.taken, ['a', 'b']);
  assert.deepEqual(d.settled, ['a', 'poison', 'b']);
  assert.deepEqual(JSON.parse(await readFile(d.deadLetters.file, 'utf8')), {
    time: '1970-01-01T00:00:00.000Z',
    reason: 'status 400 t: no poison',
    index: 'i',
    id: 'poison',
    document: { Payload: 'poison' },
  });
});

test('a request that is too large is halved until it fits', async () => {
  let limit = Infinity;
  await using server = await rejecting((id, request) => {
    if (id === '') limit = (server.requests[request - 1]?.length ?? 0) > 2 ? 413 : 200;
    return id === '' ? limit : 201;
  });
  await using d = await delivering(server.url);
  await d.deliver(batch('a', 'b', 'c', 'd', 'e'));
  assert.deepEqual(server.taken, ['a', 'b', 'c', 'd', 'e']);
});

test('a server that cuts connections is tried until it answers', async () => {
  let cuts = 0;
  await using server = await listenHttp((request, response) => {
    request.resume();
    if (cuts++ < 3) request.socket.destroy();
    else response.end('{"errors":false}');
  });
  await using d = await delivering(new URL(`http://127.0.0.1:${server.port}`));
  await d.deliver(batch('a'));
  assert.deepEqual(d.settled, ['a']);
});

test('the signal ends it, and nothing counts as settled', async () => {
  await using server = await rejecting(() => 503);
  const stop = new AbortController();
  await using d = await delivering(server.url, stop.signal);
  const delivery = d.deliver(batch('a'));
  stop.abort(new Error('enough'));
  await assert.rejects(delivery, /enough/);
  assert.deepEqual(d.settled, []);
});
