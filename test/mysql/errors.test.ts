import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotPermittedError, UnavailableError } from '../../src/core/errors.ts';
import { isPassing, mysqlError, reasonOf } from '../../src/mysql/index.ts';

function serverError(errno: number, sqlMessage: string): Error {
  return Object.assign(new Error(sqlMessage), { errno, sqlMessage });
}

for (const [errno, text, hint] of [
  [1290, 'The MariaDB server is running with the --read-only option so it cannot execute', /the server is read-only/],
  [1290, 'The MySQL server is running with the --super-read-only option', /the server is read-only/],
  [1836, 'Running in read-only mode', /the server is read-only/],
  [1021, 'Disk full (/tmp/#sql); waiting for someone to free some space', /disk .* is full: make room/],
  [1114, "The table 'role' is full", /disk .* is full: make room/],
  [1005, 'Can\'t create table `k`.`t` (errno: 135 "No more room in record file")', /disk .* is full: make room/],
  [1030, 'Got error 28 "No space left on device" from storage engine InnoDB', /disk .* is full: make room/],
  [
    1005,
    'Can\'t create table `k`.`t` (errno: 150 "Foreign key constraint is incorrectly formed")',
    /types or collations\. .* character_set_collations = ''/,
  ],
  [1419, 'You do not have the SUPER privilege and binary logging is enabled', /log_bin_trust_function_creators=1/],
] as const) {
  test(`error ${errno}, ${text}: has a hint`, () => {
    const error = serverError(errno, text);
    assert.match(reasonOf(error), hint);
    assert.equal(isPassing(error), false, 'it is not retried');
    assert.ok(mysqlError('do it', error) instanceof UnavailableError);
  });
}

test('error 1290 for another option than --read-only has no read-only hint', () => {
  const text = 'The MariaDB server is running with the --secure-file-priv option so it cannot execute this statement';
  assert.equal(reasonOf(serverError(1290, text)), `error 1290: ${text}`);
});

test('a server that requires TLS is not waited for', () => {
  const error = serverError(3159, 'Connections using insecure transport are prohibited');
  assert.equal(isPassing(error), false);
  assert.ok(mysqlError('log in', error) instanceof NotPermittedError);
});
