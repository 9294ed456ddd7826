import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountNameOf, isAccountName, randomPassword } from '../../../src/migrate/fence/account.ts';
import { isConclusive } from '../../../src/migrate/fencing/client.ts';
import { serversOf } from '../../../src/migrate/fencing/end-account.ts';
import { lackedToEnd } from '../../../src/migrate/fencing/may-end.ts';
import { nodesOf, unseenNodes } from '../../../src/migrate/fencing/nodes.ts';
import { listOf, sessionsOf } from '../../../src/migrate/fence/sessions.ts';
import { parseMysqlUrl, type MysqlSession } from '../../../src/mysql/index.ts';

test('the account of a migration is named after the user and the token', () => {
  assert.match(accountNameOf('keystone', 'keystone', 7), /^keystone_m7_[0-9a-f]{6}$/);
});

test('one user with two databases has two accounts', () => {
  assert.notEqual(accountNameOf('nova', 'nova_api', 7), accountNameOf('nova', 'nova', 7));
});

test("no name exceeds MySQL's limit, and the token stays whole", () => {
  const [a, b] = ['a', 'b'].map((end) => accountNameOf(`${'x'.repeat(31)}${end}`, 'd', 1_234_567)) as [string, string];
  assert.equal(a.length, 32);
  assert.match(a, /_m1234567_/);
  assert.notEqual(a, b);
});

test('a password needs no URL encoding, and has a character of each class', () => {
  const password = randomPassword();
  assert.equal(encodeURIComponent(password), password);
  for (const kind of [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/]) assert.match(password, kind);
});

test('an address distinguishes sessions only if no other client can use it', () => {
  const left = { client: '10.0.0.7', isAlone: true };
  assert.equal(isConclusive(left, '10.0.0.8'), true);
  assert.equal(isConclusive(left, '10.0.0.7'), false, 'we use that address too');
  assert.equal(isConclusive({ ...left, isAlone: false }, '10.0.0.8'), false, 'another client used it before');
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

test('databases at the same address count as one server', () => {
  const [a, b, c] = ['h1/a', 'h1/b', 'h2/c'].map((at) => parseMysqlUrl(`mysql://u:p@${at}`)) as [never, never, never];
  assert.deepEqual(
    serversOf({ target: a, others: [b, c] }).map(({ databases }) => databases),
    [['a', 'b'], ['c']],
  );
});

test("the account in the fence row is rejected unless its name is that of a migration's account", () => {
  assert.ok(isAccountName(accountNameOf('keystone', 'keystone', 7)));
  for (const name of ['root', 'keystone', 'x_m7_1c09b3 ', `${'x'.repeat(30)}_m7_1c09b3`, 7, undefined])
    assert.ok(!isAccountName(name), String(name));
});

/** A session that has these grants. */
function granted(...grants: string[]): MysqlSession {
  const rows = () => Promise.resolve(grants.map((grant) => ({ 'Grants for admin@%': grant })));
  return { rows } as unknown as MysqlSession;
}

test("an admin who cannot see or kill others' sessions is detected by global privileges", async () => {
  const able = [
    'GRANT ALL PRIVILEGES ON *.* TO `root`@`%` WITH GRANT OPTION',
    'GRANT PROCESS, CREATE USER, CONNECTION ADMIN ON *.* TO `admin`@`%`',
    'GRANT SELECT, PROCESS, SUPER ON *.* TO `admin`@`%` WITH GRANT OPTION',
  ];
  for (const grant of able) assert.equal(await lackedToEnd(granted(grant)), undefined, grant);
  const mysql = ['GRANT CREATE USER, PROCESS ON *.* TO `a`@`%`', 'GRANT CONNECTION_ADMIN ON *.* TO `a`@`%`'];
  assert.equal(await lackedToEnd(granted(...mysql)), undefined);
  const blind = ['GRANT CREATE USER ON *.* TO `SUPER`@`%`', 'GRANT ALL PRIVILEGES ON `d`.* TO `PROCESS`@`%`'];
  assert.match((await lackedToEnd(granted(...blind))) ?? '', /^PROCESS/);
  assert.match((await lackedToEnd(granted('GRANT PROCESS ON *.* TO `a`@`%`'))) ?? '', /^CONNECTION ADMIN/);
});

/** A node that reports these addresses of its cluster's nodes. */
function nodeOf(addresses: string, member = 'a') {
  const status = { wsrep_incoming_addresses: addresses, wsrep_local_index: '0', wsrep_gcomm_uuid: member };
  const rows = () => Promise.resolve(Object.entries(status).map(([key, Value]) => ({ Variable_name: key, Value })));
  return { rows, at: { host: 'n0', port: 3306 } } as unknown as MysqlSession & { at: { host: string; port: number } };
}

test('nodes that report no address need --host, and the error counts those missing', async () => {
  const given = ['n0', 'n1', 'n2'].map((host) => ({ host, port: 3306 }));
  const own = nodeOf('AUTO,AUTO,AUTO,');
  assert.deepEqual((await nodesOf(own)).places, []);
  const nodes = await nodesOf(own, given);
  assert.deepEqual(nodes.places, given.slice(1));
  assert.equal(await unseenNodes(nodes, [own, nodeOf('', 'b'), nodeOf('', 'c')]), undefined);
  const twice = await unseenNodes(nodes, [own, nodeOf('', 'b'), nodeOf('', 'b')]);
  assert.match(twice ?? '', /^1 of the cluster's 3 nodes do not report their address .* give each node by --host$/);
});

test('if the cluster reports its nodes, those given by --host are not checked', async () => {
  const own = nodeOf('n0:3306,n1:3306');
  const nodes = await nodesOf(own, [{ host: 'other', port: 3306 }]);
  assert.deepEqual(nodes.places, [{ host: 'n1', port: 3306 }]);
  assert.equal(await unseenNodes(nodes, [own]), undefined);
});
