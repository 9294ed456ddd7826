import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startBulkSink, type BulkSink } from './bulk-sink.ts';

const FILTERED = '/_bulk?filter_path=errors,items.*.status,items.*.error.type';

interface Bulk {
  readonly errors: boolean;
  readonly items?: readonly {
    readonly create: { readonly status: number; readonly error?: { readonly type: string } };
  }[];
}

/** Documents with these numbers. By default each has a unique ID. */
function bodyOf(numbers: readonly number[], idOf: (n: number) => string | undefined = (n) => `id-${n}`): string {
  const entry = (n: number) => [{ create: { _index: 'flog', _id: idOf(n) } }, { Payload: `line seq=${n}` }];
  return numbers.flatMap((n) => entry(n).map((part) => `${JSON.stringify(part)}\n`)).join('');
}

const post = (sink: BulkSink, body: string | Buffer, path = FILTERED, headers: Readonly<Record<string, string>> = {}) =>
  fetch(sink.url + path, { method: 'POST', body, headers: { 'content-type': 'application/x-ndjson', ...headers } });
const bulk = async (sink: BulkSink, body: string | Buffer) => (await (await post(sink, body)).json()) as Bulk;
const statuses = ({ items = [] }: Bulk) => items.map(({ create }) => create.status);

test('distinguishes received, missing and duplicate documents', async () => {
  await using sink = await startBulkSink();
  await bulk(sink, bodyOf([0, 1, 3]));
  await bulk(
    sink,
    bodyOf([1], () => 'another'),
  );
  assert.deepEqual(await sink.numbers(5), { missing: [2, 4], doubled: [1] });
  const { requests, documents, distinct } = await sink.counts();
  assert.deepEqual([requests, documents, distinct], [2, 4, 4]);
});

test('an existing id conflicts; a document without an id is always new', async () => {
  await using sink = await startBulkSink();
  await bulk(sink, bodyOf([0]));
  assert.deepEqual(statuses(await bulk(sink, bodyOf([0, 1]))), [409, 201]);
  await bulk(
    sink,
    bodyOf([1], () => undefined),
  );
  assert.deepEqual((await sink.numbers(2)).doubled, [1]);
  assert.equal((await sink.counts()).conflicts, 1);
  assert.deepEqual((await sink.documents())[0], { _index: 'flog', _id: 'id-0', _source: { Payload: 'line seq=0' } });
});

test('rejects selected documents and indexes the others', async () => {
  await using sink = await startBulkSink();
  await sink.set({ poison: 'seq=1' });
  const reply = await bulk(sink, bodyOf([0, 1]));
  assert.deepEqual([reply.errors, ...statuses(reply)], [true, 201, 400]);
  await sink.set({ p429: 0.5 });
  const numbers = Array.from({ length: 100 }, (_, i) => 100 + i);
  const refused = statuses(await bulk(sink, bodyOf(numbers))).filter((status) => status === 429).length;
  assert.ok(refused > 20 && refused < 80, `${refused} of 100`);
  assert.equal((await sink.counts()).rejected429, refused);
  await sink.set({ closedIndex: true });
  assert.equal((await bulk(sink, bodyOf([2]))).items?.[0]?.create.error?.type, 'index_closed_exception');
  await sink.set({ floodBlock: true });
  assert.deepEqual(statuses(await bulk(sink, bodyOf([2]))), [403]);
  await sink.set({});
  assert.deepEqual(await bulk(sink, bodyOf([2])), { errors: false, items: [{ create: { status: 201 } }] });
});

test('the same seed rejects the same documents', async () => {
  const refused = async () => {
    await using sink = await startBulkSink({ seed: 7 });
    await sink.set({ p429: 0.2 });
    return statuses(await bulk(sink, bodyOf(Array.from({ length: 50 }, (_, i) => i)))).join(' ');
  };
  assert.equal(await refused(), await refused());
});

test('rejects selected requests as a whole, and indexes none of them', async () => {
  await using sink = await startBulkSink();
  await sink.set({ status: 503 });
  assert.equal((await post(sink, bodyOf([0]))).status, 503);
  await sink.set({ maxBytes: 100 });
  assert.equal((await post(sink, bodyOf([0, 1]))).status, 413);
  await sink.set({ cutEvery: 1 });
  await assert.rejects(post(sink, bodyOf([0])));
  assert.equal((await sink.counts()).documents, 0);
  await sink.set({ cutEvery: 1, cutIn: 'reply' });
  await assert.rejects(async () => await (await post(sink, bodyOf([0]))).json());
  assert.equal((await sink.counts()).documents, 1);
});

test('rejects a client without login, and can ignore ids', async () => {
  await using sink = await startBulkSink();
  await sink.set({ login: 'me:secret' });
  assert.equal((await post(sink, bodyOf([0]))).status, 401);
  const authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`;
  assert.equal((await post(sink, bodyOf([0]), FILTERED, { authorization })).status, 200);
  await sink.set({ ignoreIds: true });
  assert.deepEqual(statuses(await bulk(sink, bodyOf([0]))), [201]);
  assert.deepEqual((await sink.numbers(1)).doubled, [0]);
});

test('supports gzip and full replies', async () => {
  await using sink = await startBulkSink();
  const reply = await post(sink, gzipSync(bodyOf([0])), '/_bulk', { 'content-encoding': 'gzip' });
  const { items } = (await reply.json()) as { items: { create: { _id: string; result: string } }[] };
  assert.deepEqual([items[0]?.create._id, items[0]?.create.result], ['id-0', 'created']);
});

test('the fast mode counts documents and replies for each', async () => {
  await using sink = await startBulkSink({ fast: true });
  const reply = await bulk(sink, bodyOf(Array.from({ length: 5000 }, (_, i) => i)));
  assert.equal(statuses(reply).length, 5000);
  assert.equal((await sink.counts()).documents, 5000);
});
