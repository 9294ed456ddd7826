import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountNameOf, randomPassword } from '../../../src/dbsync/fencing/account.ts';
import { isConclusive } from '../../../src/dbsync/fencing/client.ts';
import { serversOf } from '../../../src/dbsync/fencing/end-account.ts';
import { listOf, sessionsOf } from '../../../src/dbsync/fencing/sessions.ts';
import { parseMysqlUrl, type MysqlSession } from '../../../src/platform/mysql/index.ts';

test('the account of a migration is named after the user and the token', () => {
  assert.match(accountNameOf('keystone', 'keystone', 7), /^keystone_m7_[0-9a-f]{6}$/);
});

test('one user with two databases has two accounts', () => {
  assert.notEqual(accountNameOf('nova', 'nova_api', 7), accountNameOf('nova', 'nova', 7));
});

test('no name is longer than MySQL takes, and the token stays whole', () => {
  const [a, b] = ['a', 'b'].map((end) => accountNameOf(`${'x'.repeat(31)}${end}`, 'd', 1_234_567)) as [string, string];
  assert.equal(a.length, 32);
  assert.match(a, /_m1234567_/);
  assert.notEqual(a, b);
});

test('a password needs no encoding in a URL, and has a character of each kind', () => {
  const password = randomPassword();
  assert.equal(encodeURIComponent(password), password);
  for (const kind of [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/]) assert.match(password, kind);
});

test('an address tells sessions apart only when nobody else can come from there', () => {
  const left = { client: '10.0.0.7', isAlone: true };
  assert.equal(isConclusive(left, '10.0.0.8'), true);
  assert.equal(isConclusive(left, '10.0.0.7'), false, 'we come from there too');
  assert.equal(isConclusive({ ...left, isAlone: false }, '10.0.0.8'), false, 'somebody was there before');
  for (const client of ['localhost', '127.0.0.1', '127.8.0.1', '::1', '::ffff:127.0.0.1'])
    assert.equal(isConclusive({ client, isAlone: true }, '10.0.0.8'), false, client);
});

test('a list of sessions shows no values of their statements', async () => {
  const row = { node: 'db:3306', id: 7, host: 'fd00::7:51234', command: 'Query', seconds: 3 };
  const texts = [
    `INSERT INTO credential VALUES ('it''s s3cret', "s3cret")`,
    String.raw`UPDATE user SET password = 's3cr\'et s3cret' WHERE x`,
    `SELECT 's3cret that was cut off`,
  ];
  const rows = () => Promise.resolve(texts.map((text) => ({ ...row, text })));
  const seen = await sessionsOf({ rows } as unknown as MysqlSession, 'keystone');
  const list = listOf(seen);
  assert.doesNotMatch(list, /s3cr/);
  assert.match(list, /^session 7 on db:3306 from fd00::7, INSERT INTO credential VALUES \('\?', '\?'\) for 3 s; /);
});

test('databases on one server are one server', () => {
  const [a, b, c] = ['h1/a', 'h1/b', 'h2/c'].map((at) => parseMysqlUrl(`mysql://u:p@${at}`)) as [never, never, never];
  assert.deepEqual(
    serversOf({ target: a, others: [b, c] }).map(({ databases }) => databases),
    [['a', 'b'], ['c']],
  );
});
