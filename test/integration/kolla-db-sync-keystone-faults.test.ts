/**
 * kolla-db-sync's result when Keystone's own tool cannot migrate a real database: exit code, one last line with the
 * fix, the record; and exit code 0 once the fault is undone.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { startForwarder } from '../cluster/forwarder.ts';
import { canRunKeystone } from '../cluster/keystone.ts';
import { canRunMariadb, startMariadb, type Mariadb } from '../cluster/mariadb.ts';
import { canHaveSmallDisk, emptyDisk, fillDisk, onSmallDisk } from '../cluster/small-disk.ts';
import { logLines } from '../support/helper.ts';
import { until } from '../support/until.ts';
import { keystoneSite, type KeystoneSite } from './kolla-db-sync-keystone-support.ts';
import { startTlsServer, type TlsServer } from './kolla-db-sync-tls-support.ts';

const skip = (await canRunKeystone()) ?? (await canRunMariadb()) ?? false;

/** The last line, which contains the error. */
function lastWord(stderr: string): string {
  const last = logLines(stderr).at(-1);
  assert.equal(last?.level, 'error', stderr.slice(-2000));
  return last.msg;
}

async function endsWell(site: KeystoneSite, ...words: string[]): Promise<void> {
  const { code, stderr } = await site.sync(...words);
  assert.equal(code, 0, stderr.slice(-3000));
  const [{ state } = {}] = await site.records();
  assert.equal(state, 'done');
}

describe("faults under Keystone's own db_sync", { skip }, () => {
  let server: TlsServer;
  let mariadb: Mariadb;
  before(async () => {
    server = await startTlsServer();
    mariadb = server.mariadb;
  });
  after(() => server[Symbol.asyncDispose]());

  test('for a wrong password exits with code 77, and suggests --rotate', async () => {
    await using site = await keystoneSite(mariadb);
    const sql = `CREATE DATABASE ${site.database}; CREATE USER ${site.database} IDENTIFIED BY 'pw-of-keystone';`;
    await mariadb.query(`${sql} GRANT ALL ON ${site.database}.* TO ${site.database}`);
    await site.configure({ password: 'pw-of-another' });
    const refused = await site.sync();
    assert.equal(refused.code, 77);
    assert.match(lastWord(refused.stderr), /existed before, with another password, .*or give --rotate/);
    const alone = await site.syncAlone();
    assert.equal(alone.code, 77);
    assert.match(lastWord(alone.stderr), /cannot log in as keystone\d+@.*error 1045: .*its password is different/);
    assert.equal(await site.tables(), 0);
    await site.configure();
    assert.deepEqual(await site.records(), []);
    await endsWell(site);
  });

  test('for a read-only server exits with code 69 and the fix, and writes nothing', async () => {
    await using site = await keystoneSite(mariadb);
    await mariadb.query('SET GLOBAL read_only = 1');
    try {
      const { code, stderr } = await site.sync();
      assert.equal(code, 69);
      assert.match(
        lastWord(stderr),
        /error 1290: .*the server is read-only .*Use the primary, or SET GLOBAL read_only=0/,
      );
      assert.equal(await site.tables(), 0);
      assert.deepEqual(await site.records(), []);
    } finally {
      await mariadb.query('SET GLOBAL read_only = 0');
    }
    await endsWell(site);
  });

  test('for an untrusted certificate exits with code 69; with a trusted one migrates the schema, and Keystone accepts the certificate too', async () => {
    await using site = await keystoneSite(mariadb);
    await site.configure({ host: 'localhost', query: `&ssl_ca=${server.otherCaFile}` });
    const { code, stderr } = await site.sync();
    assert.equal(code, 69);
    assert.match(lastWord(stderr), /is not signed by the CA in .*other\.pem .*: put the CA that signed it there/);
    await site.configure({ host: 'localhost', query: `&ssl_ca=${server.caFile}` });
    await endsWell(site, '--require', 'ssl');
    assert.equal(await site.check(), 0, 'Keystone finds its schema complete');
  });

  test('for a server that is down exits with code 75 at the deadline; migrates once the server has started', async () => {
    await using site = await keystoneSite(mariadb);
    await mariadb.stop();
    try {
      // Long enough for one attempt on a busy machine.
      const { code, stderr } = await site.sync('--timeout', '20s');
      assert.equal(code, 75);
      assert.match(lastWord(stderr), /waited 20s for the database server at .*; last seen: .*ECONNREFUSED/);
    } finally {
      await mariadb.restart();
    }
    await endsWell(site);
  });

  test('a server killed during the migration: the next run reports the partially applied schema', async () => {
    let made = 0;
    // The tenth table gets no answer: the migration is then in the middle, however late the kill is.
    await using address = await startForwarder(mariadb.port, 0, (sent) => {
      if (/CREATE TABLE (?!.*kolla_)/.test(String(sent)) && ++made === 10) address.silence();
    });
    await using site = await keystoneSite({ ...mariadb, port: address.port });
    await using begun = await site.begin();
    await until('the tenth table', () => Promise.resolve(made >= 10 || undefined));
    await mariadb.kill();
    address.cut();
    assert.notEqual(await begun.code, 0);
    assert.match(lastWord(begun.said()), /was stopped while it ran|the migration failed: .*Lost connection/);
    await mariadb.restart();
    const [cutOff = {}] = await site.records();
    assert.equal(cutOff['state'], 'running', 'its end could not be recorded');

    await using directory = await privateDirectory('termination');
    const message = join(directory.path, 'termination-log');
    await writeFile(message, '');
    const next = await site.sync('--termination-log', message);
    assert.equal(next.code, 65);
    const left = await readFile(message, 'utf8');
    assert.match(left, /^kolla-db-sync: the migration failed: keystone-manage exited with code 1: error 1050 /);
    // Not the statement that SQLAlchemy appends, nor the traceback of Python's own end.
    assert.match(
      left,
      /; its last line: sqlalchemy\.exc\.OperationalError: .*\(1050, "Table '\w+' already exists"\)\n$/,
    );
    assert.match(next.stderr, /the previous migration was interrupted/);
    const word = lastWord(next.stderr);
    assert.match(word, /error 1050 of the server: Table '\w+' already exists\. The schema is partially applied/);
    assert.match(
      word,
      /In keystone\d+: \d+ tables \(.*\), no version is recorded\. Missing: everything that revision \w+ \(Initial version\)/,
    );
    assert.match(
      word,
      /Nothing of keystone is recorded as done\. keystone-manage db_sync --check .* \(exit code \d\)\./,
    );
    assert.match(word, /if the service never ran on it, drop the database and run this again$/);
    const [{ state, output } = {}] = await site.records();
    assert.equal(state, 'failed');
    assert.match(String(output), /\(1050, "Table '\w+' already exists"\)/);

    await mariadb.query(`DROP DATABASE ${site.database}`);
    await endsWell(site);
    assert.equal(await site.check(), 0, 'Keystone finds its schema complete');
  });
});

describe("a full disk under Keystone's own db_sync", { skip: skip || ((await canHaveSmallDisk()) ?? false) }, () => {
  let mariadb: Mariadb;
  before(async () => {
    mariadb = await startMariadb(onSmallDisk(160));
  });
  after(() => mariadb[Symbol.asyncDispose]());

  test('that fills up during the migration fails the run, and the next run reports the partially applied schema', async () => {
    await using site = await keystoneSite(mariadb);
    await fillDisk(mariadb, 2048);
    const { code, stderr } = await site.sync();
    assert.equal(code, 1);
    assert.match(
      lastWord(stderr),
      /error \d+ of the server: .*; the disk of the server's data .* is full: make room there/,
    );
    assert.match(lastWord(stderr), /it was applying revision \w+ \(Initial version\)$/);
    const [{ state, output } = {}] = await site.records();
    assert.equal(state, 'failed');
    assert.match(String(output), /No more room|is full|No space left/);
    await emptyDisk(mariadb);
    await using directory = await privateDirectory('termination');
    const message = join(directory.path, 'termination-log');
    await writeFile(message, '');
    const next = await site.sync('--termination-log', message);
    assert.equal(next.code, 65);
    const left = await readFile(message, 'utf8');
    assert.match(left, /^kolla-db-sync: the migration failed: keystone-manage exited with code 1: error 1050 /);
    // Not the statement that SQLAlchemy appends, nor the traceback of Python's own end.
    assert.match(
      left,
      /; its last line: sqlalchemy\.exc\.OperationalError: .*\(1050, "Table '\w+' already exists"\)\n$/,
    );
    assert.match(lastWord(next.stderr), /The schema is partially applied/);
    await mariadb.query(`DROP DATABASE ${site.database}`);
    await endsWell(site);
  });

  test('exits with code 69 and the fix if the disk is full from the start', async () => {
    await using site = await keystoneSite(mariadb);
    await fillDisk(mariadb, 0);
    const { code, stderr } = await site.sync();
    assert.equal(code, 69, stderr.slice(-2000));
    assert.match(lastWord(stderr), /the disk of the server's data .* is full: make room there/);
    await emptyDisk(mariadb);
    await endsWell(site);
  });
});
