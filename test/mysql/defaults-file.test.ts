import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDefaults } from '../../src/mysql/defaults-file.ts';

const read = (text: string) => Object.fromEntries(parseDefaults(text));

test('parses the file that kolla-ansible writes', () => {
  assert.deepEqual(read('[mariadb-client]\nuser=monitor\npassword=s3cret\n'), { user: 'monitor', password: 's3cret' });
});

test("only the client's groups are read, and the last occurrence of an option applies", () => {
  assert.deepEqual(
    read('[mysqld]\nuser=mysql\n[client]\nuser = a\nport=1\n[mariadb]\nport=9\n[client-mariadb]\nport=2'),
    {
      user: 'a',
      port: '2',
    },
  );
});

test('comments, quotes and escapes are parsed as by the client', () => {
  const text = [
    '# a comment',
    '; another',
    '!includedir /etc/mysql/conf.d',
    '[client]',
    'password = "a#b;c" # behind',
    "user='it\\'s'",
    'host=db\\_1#gone',
    'ssl_ca=/etc/ca.pem',
    'loose-ssl-verify-server-cert',
  ];
  assert.deepEqual(read(text.join('\r\n')), {
    password: 'a#b;c',
    user: "it's",
    host: 'db\\_1',
    'ssl-ca': '/etc/ca.pem',
    'ssl-verify-server-cert': '',
  });
});

test('an invalid line is rejected with its number, never its text', () => {
  assert.throws(
    () => parseDefaults('[client]\npassword hidden'),
    (error: Error) => {
      assert.ok(error instanceof RangeError);
      assert.equal(error.message, 'line 2 is not NAME=VALUE');
      return true;
    },
  );
});
