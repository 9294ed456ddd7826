/** Replies that real servers do not give on request; data streams of real ones: test/integration. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Batch } from '../../../src/logship/batch/batch.ts';
import type { Answer } from '../../../src/logship/sink/sink.ts';
import { allCreated } from '../../support/bulk-reply.ts';
import { listenHttp } from '../../support/server.ts';
import { log } from '../read/reading.ts';
import { batch } from '../send/delivering.ts';
import { openSink } from './sink-on-core.ts';

const PAGE = '<html>Welcome to nginx!</html>';
const OLD = '.ds-i-2026.11.27-000001';
const SETTINGS = JSON.stringify({ [OLD]: { settings: {} } });
const CREATED = '{"acknowledged":true}';

type Reply = readonly [status: number, body: string] | 'cut';

/** A sink to a data stream of which each request has these replies in turn; the last one is repeated. */
async function stream(replies: { put?: Reply[]; bulk?: Reply[]; settings?: Reply[]; mget?: Reply[] }, hosts = 1) {
  const { put = [[200, CREATED]], bulk = [], settings = [[200, SETTINGS]], mget = [] } = replies;
  const said: string[] = [];
  const requests: string[] = [];
  const left = { PUT: put, GET: settings, _mget: mget, _bulk: bulk };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '' } = request;
    const what = (method === 'POST' ? (/_\w+(?=\?)/.exec(url)?.[0] ?? '') : method) as keyof typeof left;
    const body = await text(request);
    const ids = [...body.matchAll(/"_id":"([^"]+)"/g)].map(([, id]) => id);
    requests.push([what, ...ids].join(' '));
    const reply = left[what].length > 1 ? left[what].shift() : left[what][0];
    if (reply === 'cut') request.socket.destroy();
    else response.writeHead(reply?.[0] ?? 200).end(reply?.[1] ?? allCreated(body));
  };
  const server = await listenHttp((request, response) => void answer(request, response));
  const url = new URL(`http://127.0.0.1:${server.port}`);
  const urls = Array.from({ length: hosts }, () => url) as [URL, ...URL[]];
  const target = { dataStream: 'i' };
  const sink = openSink(
    { kind: 'elasticsearch', urls, target, login: undefined, tls: {} },
    { log: log(said), proxyEnv: {} },
  );
  const signal = new AbortController().signal;
  return {
    said,
    requests,
    send: (documents: Batch): Promise<Answer> => sink.send(documents, signal),
    async [Symbol.asyncDispose]() {
      await sink[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const verdicts = (answer: Answer) => (answer.is === 'each' ? answer.verdicts.map(({ is }) => is) : answer.is);
const found = (...all: (boolean | string)[]): Reply => {
  const docs = all.map((is) => (typeof is === 'string' ? { error: { type: is, reason: 'r' } } : { found: is }));
  return [200, JSON.stringify({ docs })];
};

test('after a cut connection only documents that are not found are sent again, at once', async () => {
  await using s = await stream({ bulk: ['cut', [200, allCreated('{"create":')]], mget: [found(true, false)] });
  const documents = batch('a', 'b');
  assert.deepEqual(verdicts(await s.send(documents)), ['already', 'in']);
  assert.deepEqual(s.requests, ['PUT', '_bulk a b', 'GET', '_mget', '_bulk b']);
  assert.equal(documents.indexGeneration, undefined, 'nothing is unknown any more');
});

for (const [what, reply] of [
  ['503', [503, PAGE]],
  ["a proxy's page", [200, PAGE]],
  ['a document that failed with 503', [200, '{"errors":true,"items":[{"create":{"status":503}}]}']],
] as const) {
  test(`after ${what} documents are looked for before they are sent again`, async () => {
    await using s = await stream({ bulk: [reply, [200, allCreated('{"create":')]], mget: [found(false)] });
    const documents = batch('a');
    assert.notEqual(verdicts(await s.send(documents)), 'all in');
    assert.equal(documents.indexGeneration, 0);
    assert.equal(verdicts(await s.send(documents)), 'all in');
    assert.deepEqual(s.requests, ['PUT', '_bulk a', 'GET', '_mget', '_bulk a']);
  });
}

for (const status of [401, 403, 429, 413]) {
  test(`after ${status} documents are sent again without looking for them`, async () => {
    await using s = await stream({
      bulk: [
        [status, '{}'],
        [200, allCreated('{"create":')],
      ],
    });
    const documents = batch('a');
    await s.send(documents);
    assert.equal(documents.indexGeneration, undefined);
    await s.send(documents);
    assert.deepEqual(s.requests, ['PUT', '_bulk a', '_bulk a']);
  });
}

test('documents that were found are not sent when the rest is rejected as a whole', async () => {
  await using s = await stream({
    bulk: ['cut', [429, '{}'], [200, allCreated('{"create":')]],
    mget: [found(true, false)],
  });
  const documents = batch('a', 'b');
  assert.equal(verdicts(await s.send(documents)), 'held');
  assert.deepEqual(verdicts(await s.send(documents)), ['already', 'in']);
  assert.deepEqual(
    s.requests.filter((request) => request.startsWith('_bulk')),
    ['_bulk a b', '_bulk b', '_bulk b'],
  );
});

test('while an index cannot tell, its documents wait and stay unknown, and the others are settled', async () => {
  await using s = await stream({ bulk: ['cut'], mget: [found(true, 'no_shard_available_action_exception')] });
  const documents = batch('a', 'b');
  const answer = await s.send(documents);
  assert.deepEqual(verdicts(answer), ['already', 'again']);
  assert.equal(documents.pick([1]).indexGeneration, 0);
  assert.deepEqual(s.requests.slice(1), ['_bulk a b', 'GET', '_mget']);
});

test('a document in a deleted index is sent', async () => {
  await using s = await stream({
    bulk: ['cut', [200, allCreated('{"create":')]],
    mget: [found('index_not_found_exception')],
  });
  assert.equal(verdicts(await s.send(batch('a'))), 'all in');
});

for (const status of [401, 429, 500, 503]) {
  test(`a lookup that is rejected with ${status} delays everything`, async () => {
    await using s = await stream({ bulk: ['cut'], settings: [[status, '{}']] });
    const documents = batch('a');
    assert.equal(verdicts(await s.send(documents)), 'held');
    assert.equal(documents.indexGeneration, 0);
    assert.equal(s.requests.filter((request) => request.startsWith('_bulk')).length, 1);
    assert.deepEqual(s.said, []);
  });
}

for (const [what, settings, mget] of [
  ['a page instead of the indices', [200, PAGE], found(true)],
  ['405', [405, '{}'], found(true)],
  ['a page instead of the documents', [200, SETTINGS], [200, PAGE]],
  ['too few documents', [200, SETTINGS], found()],
  ['a text instead of the indices', [200, '"x"'], found(true)],
  ['null instead of an index', [200, `{"${OLD}":null}`], found(true)],
  ['null instead of the documents', [200, SETTINGS], [200, 'null']],
  ['documents that are no list', [200, SETTINGS], [200, '{"docs":"x"}']],
  ['null instead of a document', [200, SETTINGS], [200, '{"docs":[null]}']],
  ['a missing permission for documents', [200, SETTINGS], found('security_exception')],
] as const) {
  test(`with ${what} documents are sent again, and it is logged once what is not guaranteed`, async () => {
    const bulk: Reply[] = ['cut', [200, allCreated('{"create":')], 'cut', [200, allCreated('{"create":')]];
    await using s = await stream({ bulk, settings: [settings], mget: [mget] });
    for (const id of ['a', 'b']) assert.equal(verdicts(await s.send(batch(id))), 'all in');
    assert.equal(s.said.length, 1, s.said.join('\n'));
    assert.match(s.said[0] ?? '', /indexed twice if the data stream was rolled over meanwhile.*view_index_metadata/);
  });
}

test('no request is repeated by itself for another host, before its documents are looked for', async () => {
  await using s = await stream(
    { bulk: [[502, PAGE], 'cut', [200, allCreated('{"create":')]], mget: [found(false)] },
    3,
  );
  assert.equal(verdicts(await s.send(batch('a'))), 'all in');
  assert.deepEqual(s.requests, ['PUT', '_bulk a', 'GET', '_mget', '_bulk a', 'GET', '_mget', '_bulk a']);
});

test("another service's page does not create a data stream: nothing is sent", async () => {
  await using s = await stream({
    put: [
      [200, PAGE],
      [200, '{"acknowledged":false}'],
      [200, CREATED],
    ],
  });
  for (const reason of [/no data stream i: .*Welcome/, /no data stream i: .*"acknowledged":false/]) {
    const answer = await s.send(batch('a'));
    assert.match(answer.is === 'held' ? answer.reason : '', reason);
  }
  assert.equal(verdicts(await s.send(batch('a'))), 'all in');
  assert.deepEqual(s.requests, ['PUT', 'PUT', 'PUT', '_bulk a']);
});
