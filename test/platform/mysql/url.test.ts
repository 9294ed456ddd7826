import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMysqlUrl } from '../../../src/platform/mysql/index.ts';

test('a URL as kolla-ansible writes it gives server, account and database', () => {
  assert.deepEqual(parseMysqlUrl('mysql+pymysql://keystone:p%40ss@mariadb:3307/keystone?charset=utf8'), {
    host: 'mariadb',
    port: 3307,
    user: 'keystone',
    password: 'p@ss',
    database: 'keystone',
  });
});

test('a URL without a port means 3306, without a host localhost', () => {
  const { host, port } = parseMysqlUrl('mysql://u:p@/db');
  assert.deepEqual({ host, port }, { host: 'localhost', port: 3306 });
});

test('an IPv6 address stands in brackets', () => {
  const { host, port } = parseMysqlUrl('mysql+pymysql://u:p@[fd00::1]:3308/db');
  assert.deepEqual({ host, port }, { host: 'fd00::1', port: 3308 });
});

test('a socket is taken from the query', () => {
  assert.equal(parseMysqlUrl('mysql://u:p@localhost/db?unix_socket=%2Frun%2Fm.sock').socket, '/run/m.sock');
});

test('TLS files are taken from the query', () => {
  assert.deepEqual(parseMysqlUrl('mysql+pymysql://u:p@h/db?ssl_ca=/etc/ca.pem&ssl_verify_identity=true').tls, {
    caFile: '/etc/ca.pem',
    verifyIdentity: true,
  });
});

for (const [encoded, password] of [
  ['a%3Ab%2Fc%3Fd%23e', 'a:b/c?d#e'],
  ['a:b', 'a:b'],
  ['%C3%A9%E2%82%AC', 'é€'],
  ['100%', '100%'],
  ['a+b', 'a+b'],
  [`%27%22%5C%00`, '\'"\\\0'],
  ['%FF', '\uFFFD'],
  ['a#b', 'a#b'],
  ['', ''],
] as const) {
  test(`the password ${JSON.stringify(encoded)} is ${JSON.stringify(password)}, as SQLAlchemy reads it`, () => {
    assert.equal(parseMysqlUrl(`mysql+pymysql://u:${encoded}@h/db`).password, password);
  });
}

for (const [url, reason] of [
  ['postgresql://u:hunter2@h/db', /'postgresql' is no MySQL/],
  ['u:hunter2@h/db', /not a URL/],
  ['mysql://u:hunter2@h', /names no database/],
  ['mysql://h/hunter2', /names no user/],
  ['mysql://u:hunter2@x@h/db', /second @/],
  ['mysql://u:hunter2@h:99999/db', /port 99999/],
  ['mysql://u:hunter2@h/db\nx', /line break/],
] as const) {
  test(`${JSON.stringify(url)} is refused with the reason and without the password`, () => {
    assert.throws(
      () => parseMysqlUrl(url),
      (error: unknown) =>
        error instanceof RangeError && reason.test(error.message) && !error.message.includes('hunter2'),
    );
  });
}
