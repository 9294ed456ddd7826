/** What newer versions of MariaDB do otherwise, on the real servers. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createConnection } from 'mysql2/promise';
import { connect, isUndone, reasonOf } from '../../src/mysql/index.ts';
import { unpackedPackages } from '../../tools/debian.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { rendering, sourcesOf, textAt } from '../charts/support.ts';
import { canRunMariadb, startMariadb, type Mariadb } from '../cluster/mariadb.ts';
import { MARIADB_VERSIONS, type GaleraVersion } from '../cluster/server-versions.ts';
import { fileLimit } from '../support/file-limit.ts';
import { runHelper } from '../support/helper.ts';

// On a busy machine 11.4 takes minutes to make its key.
fileLimit(25);

const skip = (await canRunMariadb()) ?? false;

describe('an account of another authentication plugin', { skip }, () => {
  for (const [version, plugin, names] of [
    ['10.11', 'ed25519', 'client_ed25519'],
    ['11.8', 'ed25519', 'client_ed25519'],
    ['11.8', 'parsec', 'parsec'],
  ] as const) {
    test(`of ${plugin} on ${version} is named with the fix, which works`, async (t) => {
      await using mariadb = await withPlugin(version, plugin);
      await mariadb.query(
        `CREATE DATABASE keystone; CREATE USER keystone@'%' IDENTIFIED VIA ${plugin} USING PASSWORD('kpw');
         GRANT ALL ON keystone.* TO keystone@'%'`,
      );
      const place = `127.0.0.1:${mariadb.port}`;
      const env = {
        KOLLA_PROBE_PASSWORD: 'kpw',
        KOLLA_DB_SYNC_CONNECTION: `mysql+pymysql://keystone:kpw@${place}/keystone`,
      };
      const fix = "ALTER USER 'keystone'@'HOST' IDENTIFIED VIA mysql_native_password USING PASSWORD('...')";
      const says = `the account keystone of the server at ${place} logs in by ${names}, which is not supported here: ${fix}`;
      const probe = ['mysql', place, '--user', 'keystone'];
      const asked = await runHelper('kolla-probe', probe, { env });
      assert.equal(asked.code, 1);
      assert.ok(asked.stderr.includes(says), asked.stderr);
      const synced = await runHelper('kolla-db-sync', ['status', 'keystone'], { env });
      assert.equal(synced.code, 69);
      assert.ok(synced.stderr.includes(says), synced.stderr);
      assert.doesNotMatch(asked.stderr + synced.stderr, /kpw|TODO/);
      const target = { host: '127.0.0.1', port: 0, user: 'keystone', password: 'kpw', database: 'keystone' };
      await assert.rejects(connect({ ...target, socket: mariadb.socket }, { signal: t.signal }), /ALTER USER/);
      await mariadb.query(fix.replace('HOST', '%').replace('...', 'kpw'));
      assert.equal((await runHelper('kolla-probe', probe, { env })).code, 0);
    });
  }
});

describe('a certificate that the server has made itself', { skip }, () => {
  for (const version of ['11.4', '11.8'] as const) {
    test(`of ${version} is named with the fix, if it is to be verified`, async () => {
      await using mariadb = await startMariadb({ version, extraArgs: ['--ssl'] });
      const place = `127.0.0.1:${mariadb.port}`;
      const ask = async (tls: string) => {
        const args = ['mysql', place, '--user', 'root', '--tls', tls];
        const { code, stderr } = await runHelper('kolla-probe', args, {
          env: { KOLLA_PROBE_PASSWORD: mariadb.rootPassword },
        });
        return `${code}: ${stderr}`;
      };
      assert.match(await ask('require'), /^0: /);
      assert.match(await ask('off'), /^0: /);
      const refused = await ask('verify');
      assert.match(
        refused,
        /^1: .*the certificate of the server at \S+ is one it made itself.*: configure ssl_cert and ssl_key there, or only encrypt \(--tls require/,
      );
      assert.doesNotMatch(refused, /Node/);
    });
  }
});

describe("the chart's my.cnf", { skip: (await canRunHelm()) ?? skip }, () => {
  for (const version of ['10.11', '11.4', '11.8'] as const) {
    test(`on ${version} keeps collations, and lets a transaction change what another has changed`, async () => {
      await using mariadb = await startMariadb({ version, extraArgs: await chartDefaults() });
      await mariadb.query('CREATE DATABASE manila');
      for (const charset of ['utf8', 'utf8mb3', 'utf8mb4'])
        await mariadb.query(`CREATE TABLE manila.${charset} (id VARCHAR(36) PRIMARY KEY) DEFAULT CHARSET=${charset}`);
      const rows = await mariadb.query(
        "SELECT TABLE_NAME AS name, TABLE_COLLATION AS is_of FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'manila'",
      );
      assert.deepEqual(Object.fromEntries(rows.map((row) => [row['name'], row['is_of']])), {
        utf8: 'utf8mb3_general_ci',
        utf8mb3: 'utf8mb3_general_ci',
        utf8mb4: 'utf8mb4_general_ci',
      });
      assert.equal(await racing(mariadb), undefined);
      const warnings = (await readFile(mariadb.errorLog, 'utf8')).match(/.*'loose.*/g) ?? [];
      // 10.11 does not know the collations of character sets.
      assert.equal(warnings.length, version === '10.11' ? 1 : 0, warnings.join('\n'));
      for (const warning of warnings) assert.match(warning, /\[Warning\] .*'loose.character.set.collations=/);
    });
  }

  test('without it, 11.8 ends such a transaction with 1020, and rejects a foreign key to an older table with a hint', async () => {
    await using mariadb = await startMariadb({ version: '11.8' });
    const ended = await racing(mariadb);
    assert.match(reasonOf(ended), /^error 1020: Record has changed since last read in table 'races'/);
    assert.ok(isUndone(ended), 'kolla-db-sync retries it');
    await mariadb.query(
      `CREATE DATABASE manila;
       CREATE TABLE manila.shares (id VARCHAR(36) PRIMARY KEY) DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci`,
    );
    const revision = `CREATE TABLE manila.backups (share VARCHAR(36), FOREIGN KEY (share) REFERENCES manila.shares (id))
      DEFAULT CHARSET=utf8`;
    const rejected = await mariadb.query(revision).then(
      () => undefined,
      (caught: unknown) => caught,
    );
    assert.match(reasonOf(rejected), /^error 1005: .*errno: 150 .*: SET GLOBAL character_set_collations = ''/);
    await mariadb.query("SET GLOBAL character_set_collations = ''");
    await mariadb.query(revision);
  });
});

/** A server with the plugins of the package that has them. */
async function withPlugin(version: GaleraVersion, plugin: string): Promise<Mariadb> {
  const { suite } = MARIADB_VERSIONS[version];
  const tree = await unpackedPackages('galera-scripts', ['mariadb-server'], { dependencies: false, suite });
  const extraArgs = [`--plugin-dir=${join(tree, 'usr/lib/mysql/plugin')}`, `--plugin-load-add=auth_${plugin}`];
  return await startMariadb({ version, extraArgs });
}

/** The options of the chart's my.cnf, without paths, addresses and Galera. */
async function chartDefaults(): Promise<string[]> {
  await using chart = await rendering('mariadb');
  const rendered = await chart.render();
  const text = textAt(rendered, sourcesOf(rendered.one('StatefulSet', 'mariadb'))['my.cnf'] ?? '');
  const [, options = ''] = /\n(character_set_server[^]*?)\nwsrep_on/.exec(text) ?? [];
  return options
    .split('\n')
    .flatMap((line) => /^(\w+) = (.*)$/.exec(line)?.slice(1, 3).join('=') ?? [])
    .map((option) => `--${option.replaceAll("'", '')}`);
}

/** Two transactions read the same row, and then both change it. */
async function racing(mariadb: Mariadb): Promise<unknown> {
  const { socket, rootPassword } = mariadb;
  await mariadb.query('CREATE DATABASE d; CREATE TABLE d.races (id INT PRIMARY KEY, n INT) ENGINE=InnoDB');
  await mariadb.query('INSERT INTO d.races VALUES (1, 0)');
  const login = { socketPath: socket, user: 'root', password: rootPassword, database: 'd' };
  const first = await createConnection(login);
  const second = await createConnection(login);
  try {
    for (const each of [first, second]) {
      await each.query('START TRANSACTION');
      await each.query('SELECT n FROM races');
    }
    await first.query('UPDATE races SET n = n + 1');
    await first.query('COMMIT');
    await second.query('UPDATE races SET n = n + 1');
    await second.query('COMMIT');
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await Promise.all([first.end(), second.end()]);
  }
}
