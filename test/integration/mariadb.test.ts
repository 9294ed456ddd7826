import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { createConnection } from 'mysql2/promise';
import { canRunMariadb, startMariadb } from '../cluster/mariadb.ts';
import { fromMaven } from '../cluster/mariadb-programs.ts';

describe('MariaDB', { skip: (await canRunMariadb()) ?? false }, () => {
  test('accepts only the root password over its socket and over TCP', async () => {
    await using mariadb = await startMariadb();
    const [row] = await mariadb.query('SELECT CURRENT_USER() AS user, ? AS value', ['é']);
    assert.deepEqual({ ...row }, { user: 'root@localhost', value: 'é' });
    const { host, port, rootPassword: password } = mariadb;
    const connection = await createConnection({ host, port, user: 'root', password });
    const [rows] = await connection.query('SELECT CURRENT_USER() AS user');
    await connection.end();
    assert.deepEqual(rows, [{ user: 'root@%' }]);
    await assert.rejects(createConnection({ host, port, user: 'root', password: '' }), { errno: 1045 });
    await assert.rejects(createConnection({ host, port, user: 'nobody' }), { errno: 1045 });
  });

  test('has its committed rows after SIGKILL and a restart on the same port', async () => {
    await using mariadb = await startMariadb();
    await mariadb.query('CREATE DATABASE kept; CREATE TABLE kept.t (n INT PRIMARY KEY) ENGINE=InnoDB');
    await mariadb.query('INSERT INTO kept.t VALUES (1)');
    await mariadb.kill();
    await assert.rejects(mariadb.query('SELECT 1'), { code: 'ECONNREFUSED' });
    await mariadb.restart();
    const rows = await mariadb.query('SELECT n, @@port AS port FROM kept.t');
    assert.deepEqual(rows, [{ n: 1, port: mariadb.port }]);
  });

  test('runs behind a launcher', async () => {
    const calls: string[] = [];
    await using mariadb = await startMariadb({
      launcher: (command, args) => [calls.push(command) > 0 ? 'env' : '', ['MARIADB_TEST=1', command, ...args]],
    });
    assert.equal((await mariadb.query('SELECT 1 AS one')).length, 1);
    assert.equal(calls.length, 1);
  });

  test('reports why it does not start', async () => {
    await assert.rejects(startMariadb({ extraArgs: ['--no-such-option'] }), /no-such-option/);
  });

  test('leaves neither process nor directory behind', async () => {
    const mariadb = await startMariadb();
    const { pid, directory } = mariadb;
    await mariadb[Symbol.asyncDispose]();
    assert.ok(!existsSync(`/proc/${pid}`));
    assert.ok(!existsSync(directory));
  });
});

test('MariaDB comes from Maven Central on machines without apt', async (t) => {
  const programs = await fromMaven().catch((error: Error) => t.skip(error.message));
  if (programs === undefined) return;
  await using mariadb = await startMariadb({ programs });
  const [row] = await mariadb.query('SELECT VERSION() AS version');
  assert.match(String(row?.['version']), /^11\.4/);
});
