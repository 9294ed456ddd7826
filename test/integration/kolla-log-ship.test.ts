import assert from 'node:assert/strict';
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { canRunElasticsearch, startElasticsearch, type Elasticsearch } from '../cluster/elasticsearch.ts';
import {
  assertOnce,
  ELASTICSEARCH_FAULTS,
  ELASTICSEARCH_SETTINGS,
  elasticsearchDestination,
  rowOf,
  runFault,
} from '../faults/index.ts';
import { SAMPLE } from '../faults/sample.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { logLines, runHelper, startHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';

const skip = (await canRunElasticsearch()) ?? false;
let server: Elasticsearch;

before(async () => {
  if (skip === false) server = await startElasticsearch({ settings: ELASTICSEARCH_SETTINGS });
});
after(async () => {
  if (skip === false) await server[Symbol.asyncDispose]();
});

const line = (n: number) =>
  `2026-11-20 08:15:42.123 7 INFO keystone.server [None req-abc user project - - default default] line ${n}\n`;
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => line(from + i)).join('');

/** A log root, and an index prefix that no other test uses. */
async function logs(prefix: string) {
  const directory = await privateDirectory('ship');
  await mkdir(join(directory.path, 'keystone'));
  const args = ['--root', directory.path, '--url', server.url, '--index-prefix', prefix, '--timezone', 'UTC'];
  return {
    args,
    file: join(directory.path, 'keystone/keystone.log'),
    state: join(directory.path, '.kolla-log-ship'),
    index: `${prefix}-*`,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** The server's number of documents in the index, and of distinct lines among them. */
async function inIndex(index: string): Promise<{ documents: number; distinct: number }> {
  const documents = await server.count(index);
  const aggs = { lines: { terms: { field: 'Payload.keyword', size: 65_000 } } };
  const { body } = await server.request('POST', `/${index}/_search`, { size: 0, aggs });
  const { aggregations } = body as { aggregations: { lines: { buckets: unknown[] } } };
  return { documents, distinct: aggregations.lines.buckets.length };
}

function countOf(index: string, wanted: number): Promise<number> {
  return until(`${wanted} documents in ${index}`, async () => {
    const count = await server.count(index);
    return count >= wanted ? count : undefined;
  });
}

test("every line is a document with Kolla's fields in the index of its day", { skip }, async () => {
  await using l = await logs('fields');
  writeFileSync(l.file, lines(0, 1000));
  const { code, stderr } = await runHelper('kolla-log-ship', ['--once', ...l.args]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(await inIndex(l.index), { documents: 1000, distinct: 1000 });
  const [hit] = await server.search(l.index, { query: { match_phrase: { Payload: 'line 7' } } });
  assert.ok(hit);
  const { _index: index, _source: source } = hit;
  assert.equal(index, 'fields-2026.11.20');
  assert.equal(source['@timestamp'], '2026-11-20T08:15:42.123Z');
  assert.equal(source['request_id'], 'abc');
  assert.equal(source['Logger'], 'openstack.keystone');
});

for (const [nth, fault] of ELASTICSEARCH_FAULTS.entries()) {
  test(`${fault.name}: no line lost or duplicated`, { skip }, async (t) => {
    const row = await runFault(fault, elasticsearchDestination(server, `fault${nth}`), SAMPLE);
    t.diagnostic(rowOf(row));
    assertOnce(row);
  });
}

test(
  'without its checkpoint kolla-log-ship sends everything again, and the server has every document already',
  { skip },
  async () => {
    await using l = await logs('again');
    writeFileSync(l.file, lines(0, 100));
    await runHelper('kolla-log-ship', ['--once', ...l.args]);
    writeFileSync(join(l.state, 'checkpoint.json'), 'torn');
    const { code, stderr } = await runHelper('kolla-log-ship', ['--once', ...l.args]);
    assert.equal(code, 0, stderr);
    assert.equal(logLines(stderr).find(({ msg }) => msg === 'stopped')?.['already'], 100);
    assert.deepEqual(await inIndex(l.index), { documents: 100, distinct: 100 });
  },
);

test('a line that the index rejects goes to the dead letters, all others are indexed', { skip }, async () => {
  await using l = await logs('poison');
  const mappings = { properties: { Pid: { type: 'integer' } } };
  assert.equal((await server.request('PUT', '/poison-2026.11.20', { mappings })).status, 200);
  writeFileSync(l.file, lines(0, 10) + line(10).replace(' 7 INFO', ' 99999999999 INFO') + lines(11, 20));
  const { code, stderr } = await runHelper('kolla-log-ship', ['--once', ...l.args]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(await inIndex(l.index), { documents: 19, distinct: 19 });
  const letters = (await readFile(join(l.state, 'dead-letter.jsonl'), 'utf8')).trimEnd().split('\n');
  const [letter] = letters.map((text) => JSON.parse(text) as { reason: string; document: { Payload: string } });
  assert.equal(letters.length, 1);
  assert.equal(letter?.document.Payload, 'line 10');
  assert.match(letter.reason, /document_parsing_exception.*Pid/);
});

test('renames during writes lose nothing', { skip }, async () => {
  await using l = await logs('rename');
  await using shipper = await startHelper('kolla-log-ship', l.args);
  for (let from = 0; from < 5000; from += 1000) {
    appendFileSync(l.file, lines(from, from + 500));
    // A file that exists only between two polls is never seen.
    await countOf(l.index, from + 1);
    for (let part = from + 500; part < from + 1000; part += 50) appendFileSync(l.file, lines(part, part + 50));
    renameSync(l.file, `${l.file}.${from}`);
  }
  await countOf(l.index, 5000);
  assert.equal(await shipper.stop(), 0);
  assert.deepEqual(await inIndex(l.index), { documents: 5000, distinct: 5000 });
});

test('Elasticsearch killed and restarted: lines wait in their files, then all are indexed once', { skip }, async () => {
  await using l = await logs('outage');
  await using shipper = await startHelper('kolla-log-ship', l.args);
  writeFileSync(l.file, lines(0, 3000));
  await countOf(l.index, 1);
  await server.kill();
  appendFileSync(l.file, lines(3000, 6000));
  await server.restart();
  await countOf(l.index, 6000);
  assert.equal(await shipper.stop(), 0);
  assert.deepEqual(await inIndex(l.index), { documents: 6000, distinct: 6000 });
});
