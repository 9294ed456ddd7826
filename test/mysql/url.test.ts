import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMysqlUrl, urlAs, urlAt, type MysqlTls } from '../../src/mysql/index.ts';

test('a URL written by kolla-ansible has server, account and database', () => {
  assert.deepEqual(parseMysqlUrl('mysql+pymysql://keystone:p%40ss@mariadb:3307/keystone?charset=utf8'), {
    host: 'mariadb',
    port: 3307,
    user: 'keystone',
    password: 'p@ss',
    database: 'keystone',
  });
});

test('the default port is 3306, the default host localhost', () => {
  const { host, port } = parseMysqlUrl('mysql://u:p@/db');
  assert.deepEqual({ host, port }, { host: 'localhost', port: 3306 });
});

test('an IPv6 address is in brackets', () => {
  const { host, port } = parseMysqlUrl('mysql+pymysql://u:p@[fd00::1]:3308/db');
  assert.deepEqual({ host, port }, { host: 'fd00::1', port: 3308 });
});

test('a socket is read from the query', () => {
  assert.equal(parseMysqlUrl('mysql://u:p@localhost/db?unix_socket=%2Frun%2Fm.sock').socket, '/run/m.sock');
});

test('another address or account is set in a URL whose password has all delimiters', () => {
  const url = "mysql+pymysql://u:p:/s?'s!@h:1/db?charset=utf8";
  const at = parseMysqlUrl(urlAt(url, { host: 'fd00::1', port: 2 }));
  assert.deepEqual([at.host, at.port, at.password, at.database], ['fd00::1', 2, "p:/s?'s!", 'db']);
  const as = parseMysqlUrl(urlAs(url, 'u_m1', 'x'));
  assert.deepEqual([as.host, as.port, as.user, as.password, as.database], ['h', 1, 'u_m1', 'x', 'db']);
});

test('TLS files are read from the query', () => {
  assert.deepEqual(tlsIn('ssl_ca=/etc/ca.pem&ssl_cert=/c&ssl_key=/k'), {
    isVerified: true,
    caFile: '/etc/ca.pem',
    certFile: '/c',
    keyFile: '/k',
    verifyIdentity: true,
  });
});

function tlsIn(query: string): MysqlTls | undefined {
  return parseMysqlUrl(`mysql+pymysql://u:p@h/db?${query}`).tls;
}

for (const [query, tls] of [
  ['charset=utf8', undefined],
  ['ssl_ca=&charset=utf8', undefined],
  ['ssl_ca=/ca&ssl_disabled=true', undefined],
  ['ssl_ca=/ca', { isVerified: true, caFile: '/ca', verifyIdentity: true }],
  ['ssl_ca=/ca&ssl_check_hostname=false', { isVerified: true, caFile: '/ca', verifyIdentity: false }],
  ['ssl_ca=/ca&ssl_verify_cert=0', { isVerified: false, verifyIdentity: false }],
  ['ssl_cert=/both.pem', { isVerified: false, certFile: '/both.pem', verifyIdentity: false }],
  ['ssl_check_hostname=false', { isVerified: false, verifyIdentity: false }],
] as const) {
  test(`?${query} sets ${tls === undefined ? 'no TLS' : JSON.stringify(tls)}`, () => {
    assert.deepEqual(tlsIn(query), tls);
  });
}

for (const [query, reason] of [
  ['ssl_verify_cert=true', /needs ssl_ca=FILE/],
  ['ssl_verify_identity=true&ssl_cert=/c', /needs ssl_ca=FILE/],
  ['ssl_capath=/etc/ssl/certs', /ssl_capath is not supported/],
  ['ssl_ca=/ca&ssl_key=/k', /an ssl_key, but no ssl_cert/],
] as const) {
  test(`?${query} is rejected: TLS would be weaker than it looks`, () => {
    assert.throws(() => tlsIn(query), reason);
  });
}

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
  ['postgresql://u:hunter2@h/db', /'postgresql' is not a scheme of MySQL/],
  ['u:hunter2@h/db', /not a URL/],
  ['mysql://u:hunter2@h', /names no database/],
  ['mysql://h/hunter2', /names no user/],
  ['mysql://u:hunter2@x@h/db', /second @/],
  ['mysql://u:hunter2@h:99999/db', /port 99999/],
  ['mysql://u:hunter2@h/db\nx', /line break/],
] as const) {
  test(`${JSON.stringify(url)} is rejected with the reason and without the password`, () => {
    assert.throws(
      () => parseMysqlUrl(url),
      (error: unknown) =>
        error instanceof RangeError && reason.test(error.message) && !error.message.includes('hunter2'),
    );
  });
}
