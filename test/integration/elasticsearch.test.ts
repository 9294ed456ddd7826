import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canRunElasticsearch, startElasticsearch } from '../cluster/elasticsearch.ts';

const skip = (await canRunElasticsearch()) ?? false;

test('a real Elasticsearch indexes, searches, and keeps its data across a SIGKILL', { skip }, async () => {
  await using server = await startElasticsearch();
  const bulk = '{"create":{"_index":"a","_id":"1"}}\n{"Payload":"hello"}\n';
  assert.equal((await server.request('POST', '/_bulk', bulk)).status, 200);
  const again = (await server.request('POST', '/_bulk', bulk)).body as { items: { create: { status: number } }[] };
  assert.equal(again.items[0]?.create.status, 409, 'an id is taken once');
  assert.equal(await server.count('a'), 1);
  assert.equal(await server.count('nothing-here'), 0);
  const hits = await server.search('a', { query: { match: { Payload: 'hello' } } });
  assert.deepEqual(
    hits.map(({ _id }) => _id),
    ['1'],
  );

  await server.kill();
  await assert.rejects(server.request('GET', '/'), 'it is gone');
  const { url, pid } = server;
  await server.restart();
  assert.equal(server.url, url);
  assert.notEqual(server.pid, pid);
  assert.equal(await server.count('a'), 1, 'its data are still there');
});
