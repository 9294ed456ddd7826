import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBulkReply } from '../../../src/logship/sink/bulk-reply.ts';

const reply = (...items: object[]) =>
  Buffer.from(JSON.stringify({ errors: true, items: items.map((create) => ({ create })) }));

const created = { status: 201 };

function verdictsOf(...items: object[]): readonly string[] {
  const { answer } = readBulkReply(200, reply(...items), items.length);
  return answer.is === 'each' ? answer.verdicts.map(({ is }) => is) : [answer.is];
}

test('all documents are in if each one has the status of a new document', () => {
  for (const count of [1, 2, 2000]) {
    const items = Array.from({ length: count }, () => ({ create: { _index: '.ds-logs-000002', ...created } }));
    const body = Buffer.from(JSON.stringify({ errors: false, items }));
    assert.deepEqual(readBulkReply(200, body, count), { answer: { is: 'all in' }, index: '.ds-logs-000002' });
  }
});

for (const [what, last] of [
  ['is in a failure store', { ...created, failure_store: 'used' }],
  ['was dropped by a pipeline', { status: 200 }],
  ['is rejected', { status: 400, error: { type: 'document_parsing_exception' } }],
] as const) {
  test(`a document that ${what} is refused, although the reply has no errors, alone and after one that is in`, () => {
    for (const items of [[last], [last, last], [created, last]]) {
      const body = Buffer.from(JSON.stringify({ errors: false, items: items.map((create) => ({ create })) }));
      const { answer } = readBulkReply(200, body, items.length);
      assert.equal(answer.is, 'each');
      assert.deepEqual(
        answer.verdicts.map(({ is }) => is),
        items.map((item) => (item === last ? 'refused' : 'in')),
      );
    }
  });
}

test('a failure store that was not used says nothing about a document', () => {
  assert.deepEqual(verdictsOf({ ...created, failure_store: 'not_enabled' }), ['in']);
});

for (const [what, text] of [
  ['no items', '{"errors":false}'],
  ['too few items', '{"errors":false,"items":[{"create":{"status":201}}]}'],
  ['too many items', `{"errors":false,"items":[${Array(3).fill('{"create":{"status":201}}').join()}]}`],
  ['a truncated item', '{"errors":false,"items":[{"create":{"status":201}},{"create":{"status":201}'],
  ['a compressed body', '\u001f\u008b\u0008'],
] as const) {
  test(`a reply with ${what} delays everything, and it is unknown what is indexed`, () => {
    const { answer, isUnknown } = readBulkReply(200, Buffer.from(text, 'latin1'), 2);
    assert.deepEqual([answer.is, isUnknown], ['held', true]);
  });
}

test('items of another operation and without a status say nothing about a document', () => {
  const body = Buffer.from('{"errors":false,"items":[{"index":{"status":201}},{"create":{}}]}');
  const { answer } = readBulkReply(200, body, 2);
  assert.deepEqual(answer.is === 'each' && answer.verdicts.map(({ is }) => is), ['again', 'again']);
});

for (const [status, isUnknown] of [
  [400, false],
  [401, false],
  [429, false],
  [408, true],
  [500, true],
  [503, true],
] as const) {
  test(`after status ${status} it is ${isUnknown ? 'unknown whether documents are' : 'known that no document is'} indexed`, () => {
    assert.equal(readBulkReply(status, Buffer.from('{}'), 1).isUnknown, isUnknown);
  });
}

test('each item has its verdict', () => {
  const error = { type: 'x', reason: 'y' };
  const statuses = [201, 409, 429, 503, 403, 404, 400];
  const { answer } = readBulkReply(200, reply(...statuses.map((status) => ({ status, error }))), statuses.length);
  assert.equal(answer.is, 'each');
  assert.deepEqual(
    answer.verdicts.map(({ is }) => is),
    ['in', 'already', 'busy', 'again', 'again', 'again', 'refused'],
  );
});

test('a closed index may be reopened: its items wait', () => {
  const { answer } = readBulkReply(200, reply({ status: 400, error: { type: 'index_closed_exception' } }), 1);
  assert.equal(answer.is === 'each' && answer.verdicts[0]?.is, 'again');
});

test('the block of an index on a full disk is no overload of the server', () => {
  const error = { type: 'cluster_block_exception', reason: 'index [x] blocked by: [TOO_MANY_REQUESTS/12/disk usage]' };
  const { answer } = readBulkReply(200, reply({ status: 429, error }), 1);
  assert.equal(answer.is === 'each' && answer.verdicts[0]?.is, 'again');
});

test('a rejection has the reason and its cause', () => {
  const error = { type: 'document_parsing_exception', reason: 'failed', caused_by: { reason: 'not a number' } };
  const { answer } = readBulkReply(200, reply({ status: 400, error }), 1);
  assert.deepEqual(answer.is === 'each' && answer.verdicts[0], {
    is: 'refused',
    reason: 'status 400 document_parsing_exception: failed: not a number',
    cause: 'document_parsing_exception',
  });
});

for (const [what, status, text] of [
  ['401', 401, '{"error":{"type":"security_exception","reason":"wrong password"}}'],
  ['429 of the whole request', 429, '{"error":{"type":"es_rejected_execution_exception","reason":"full"}}'],
  ['400 of the whole request', 400, '{"error":"no handler"}'],
  ['502 with a page', 502, '<html>bad gateway</html>'],
  ['200 with a page', 200, '<html>welcome</html>'],
  ['200 with too few items', 200, '{"errors":true,"items":[]}'],
] as const) {
  test(`${what} delays everything`, () => assert.equal(readBulkReply(status, Buffer.from(text), 3).answer.is, 'held'));
}

test('a body that is too large is reported separately', () => {
  assert.equal(readBulkReply(413, Buffer.alloc(0), 3).answer.is, 'too large');
});

for (const [what, error] of [
  [
    'the cluster has reached its shard limit',
    {
      type: 'validation_exception',
      reason:
        'Validation Failed: 1: this action would add [2] shards, but this cluster has [1000]/[1000] maximum normal shards open;',
    },
  ],
  ['the index is closed', { type: 'index_closed_exception', reason: 'closed' }],
  [
    "the index's pipeline is missing",
    { type: 'illegal_argument_exception', reason: 'pipeline with id [kolla] does not exist' },
  ],
] as const) {
  test(`no document is a dead letter because ${what}`, () => {
    const { answer } = readBulkReply(200, reply({ status: 400, error }), 1);
    assert.equal(answer.is === 'each' && answer.verdicts[0]?.is, 'again');
  });
}

test("a rejected line whose text is the server's own message about an index is a dead letter", () => {
  const text = 'but this cluster has [1000]/[1000] maximum normal shards open;';
  const reason = `[1:9] failed to parse field [Payload] of type [date]. Preview of field's value: '${text}'`;
  const { answer } = readBulkReply(
    200,
    reply({ status: 400, error: { type: 'document_parsing_exception', reason } }),
    1,
  );
  assert.equal(answer.is === 'each' && answer.verdicts[0]?.is, 'refused');
});

test('a document too large for the server is rejected', () => {
  const { answer } = readBulkReply(200, reply({ status: 413, error: { type: 't', reason: 'r' } }), 1);
  assert.equal(answer.is === 'each' && answer.verdicts[0]?.is, 'refused');
});

test('text from a server cannot start a line of our log', () => {
  const { answer } = readBulkReply(502, Buffer.from('<html>\n\u001b[2Jbad'), 1);
  assert.deepEqual(answer, { is: 'held', reason: 'status 502: <html> [2Jbad', because: undefined });
});

/** Answers with 200 of another server, or of one that is broken. None may end the process. */
const MALFORMED = {
  'no object': 'null',
  'a list': '[]',
  'items that are no list': '{"items":"x"}',
  'items that are null': '{"items":null}',
  'an item that is null': '{"errors":false,"items":[null]}',
  'an item that is a list': '{"items":[[]]}',
} as const;

for (const [what, text] of Object.entries(MALFORMED))
  test(`a reply that is ${what} delays everything, and it is unknown what is indexed`, () => {
    const { answer, isUnknown } = readBulkReply(200, Buffer.from(text), 1);
    assert.deepEqual([answer.is, isUnknown], ['held', true]);
    assert.equal(answer.is === 'held' && answer.reason, `not a bulk reply: ${text}`);
  });

for (const [what, create] of [
  ['null', null],
  ['a text', 'x'],
  ['a status that is a text', { status: '201' }],
  ['a status that is an object', { status: {}, error: null }],
] as const)
  test(`an item with ${what} says nothing about a document`, () => {
    for (const errors of [true, false]) {
      const body = Buffer.from(JSON.stringify({ errors, items: [{ create }] }));
      const { answer } = readBulkReply(200, body, 1);
      assert.deepEqual(answer.is === 'each' && answer.verdicts, [
        { is: 'again', reason: 'the reply has no status for it', isUnknown: true },
      ]);
    }
  });

for (const error of [null, 'x', [], { type: {}, reason: 1, caused_by: null }, { caused_by: { reason: {} } }])
  test(`an item is rejected without a reason if its error is ${JSON.stringify(error)}`, () => {
    const { answer } = readBulkReply(200, reply({ status: 400, error }), 1);
    assert.deepEqual(answer.is === 'each' && answer.verdicts, [{ is: 'refused', reason: 'status 400 : ', cause: '' }]);
  });

test('an index that is no text is none', () => {
  for (const items of [
    [{ create: { _index: 7, ...created } }],
    [{ create: { _index: {}, ...created } }, { create: created }],
  ]) {
    const body = Buffer.from(JSON.stringify({ errors: false, items }));
    assert.equal(readBulkReply(200, body, items.length).index, undefined);
  }
});
