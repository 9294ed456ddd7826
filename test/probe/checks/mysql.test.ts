import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { galera } from '../../../src/probe/checks/galera.ts';
import { mysql } from '../../../src/probe/checks/mysql.ts';
import { whyUnfit } from '../../../src/probe/remote/galera.ts';
import { mysqlServer, type MysqlValues } from '../../../src/probe/remote/mysql.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { freePort } from '../../../tools/port.ts';
import { runHelper } from '../../support/helper.ts';
import { listenTcp } from '../../support/server.ts';
import { asked, reasonAwaiting, reasonOf } from './asked.ts';

const packet = (body: Buffer) => Buffer.concat([Buffer.from([body.length, 0, 0, 0]), body]);

test('without a login a greeting is enough', async () => {
  await using server = await listenTcp((socket) => void socket.write(packet(Buffer.from('\n11.4.2-MariaDB\0more'))));
  assert.deepEqual(await asked(mysql, [`127.0.0.1:${server.port}`]), {
    healthy: true,
    detail: 'greets as 11.4.2-MariaDB',
  });
});

test('a rejection, a frozen server and a closed port each have their reason', async () => {
  const refusal = packet(Buffer.concat([Buffer.from([0xff, 0x10, 0x04]), Buffer.from('Too many connections')]));
  await using full = await listenTcp((socket) => void socket.end(refusal));
  assert.equal(await reasonOf(mysql, [`127.0.0.1:${full.port}`]), 'error 1040: Too many connections');
  await using frozen = await listenTcp(() => {});
  const at = `127.0.0.1:${frozen.port}`;
  assert.match(await reasonAwaiting(mysql, [at], /does not greet/), /^no response in 1m: .* does not greet/);
  assert.match(
    await reasonAwaiting(mysql, [at, '--user', 'a'], /does not finish the login/),
    /^no response in 1m: .* does not finish the login/,
  );
  assert.match(
    await reasonOf(mysql, [`127.0.0.1:${await freePort()}`, '--user', 'a']),
    /^connection refused by 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/,
  );
});

test('galera needs a login', async () => {
  await assert.rejects(asked(galera, ['127.0.0.1']), /galera: the state requires a login/);
});

test('an option file has login and address, and arguments take precedence for the address', async () => {
  await using directory = await privateDirectory('mysql');
  const file = join(directory.path, 'healthcheck.cnf');
  const values = { defaultsFile: file } as MysqlValues;
  await writeFile(file, '[mariadb-client]\nuser=monitor\npassword=s3cret\n');
  const local = await mysqlServer('mysql', undefined, values);
  assert.equal(local.text, '/run/mysqld/mysqld.sock');
  assert.deepEqual(local.hosts, []);
  const { user, password } = await local.target();
  assert.deepEqual({ user, password }, { user: 'monitor', password: 's3cret' });
  assert.equal((await mysqlServer('mysql', '[::1]:3307', values)).text, '[::1]:3307');
  await writeFile(file, '[client]\nprotocol=tcp\nport=3310\nuser=monitor\nssl-ca=/ca.pem\n');
  const tcp = await mysqlServer('mysql', undefined, values);
  assert.equal(tcp.text, 'localhost:3310');
  assert.deepEqual((await tcp.target()).tls, { isVerified: true, caFile: '/ca.pem', verifyIdentity: true });
  const off = await mysqlServer('mysql', undefined, { ...values, tls: 'off' });
  assert.equal((await off.target()).tls, undefined);
});

test('the option file is read on each run, and a missing one is reported as the reason', async () => {
  assert.match(
    await reasonOf(mysql, ['127.0.0.1', '--defaults-file', '/nowhere/x.cnf']),
    /cannot read \/nowhere\/x\.cnf, given by --defaults-file/,
  );
  await assert.rejects(asked(mysql, ['--defaults-file', '/nowhere/x.cnf']), { exitCode: 65 });
});

test('two logins, and a CA bundle without use, are rejected', async () => {
  await assert.rejects(asked(mysql, ['a', '--user', 'b', '--defaults-file', 'c']), /use only one/);
  await assert.rejects(asked(mysql, ['a', '--ca-file', 'x']), {
    exitCode: 64,
    message: 'mysql: --ca-file is given without TLS: leave it out, or give --tls verify',
  });
  for (const mode of ['require', 'off']) {
    await assert.rejects(asked(mysql, ['a', '--ca-file', 'x', '--tls', mode]), {
      exitCode: 64,
      message: `mysql: --ca-file is given with --tls ${mode}, which verifies no certificate: leave it out, or give --tls verify`,
    });
  }
});

const SYNCED = { replicates: true, isReady: true, component: 'Primary', state: 'Synced', size: 3 };
const NONE = { isDesynced: false, rejects: 'NONE' };
const STRICT = { allowDonor: false, allowDesync: false };
const DONOR = { ...SYNCED, state: 'Donor/Desynced' };

test('a donor and a desynced node are distinguished, and each has its own option', () => {
  assert.equal(whyUnfit(SYNCED, NONE, STRICT), undefined);
  assert.match(whyUnfit(DONOR, NONE, { ...STRICT, allowDesync: true }) ?? '', /donor of a joining node/);
  assert.equal(whyUnfit(DONOR, NONE, { ...STRICT, allowDonor: true }), undefined);
  const desynced = { ...NONE, isDesynced: true };
  assert.match(whyUnfit(DONOR, desynced, { ...STRICT, allowDonor: true }) ?? '', /wsrep_desync is ON/);
  assert.equal(whyUnfit(DONOR, desynced, { ...STRICT, allowDesync: true }), undefined);
});

test('no option makes a node without quorum, readiness or queries healthy', () => {
  const all = { allowDonor: true, allowDesync: true };
  const alone = { ...SYNCED, component: 'non-Primary', isReady: false, state: 'Initialized' };
  assert.match(whyUnfit(alone, NONE, all) ?? '', /it has no quorum; SELECT 1 still passes there/);
  assert.match(whyUnfit({ ...SYNCED, isReady: false }, NONE, all) ?? '', /wsrep_ready is OFF/);
  assert.match(whyUnfit({ ...SYNCED, state: 'Joining: receiving State Transfer' }, NONE, all) ?? '', /is Joining/);
  assert.match(whyUnfit(SYNCED, { ...NONE, rejects: 'ALL' }, all) ?? '', /wsrep_reject_queries is ALL/);
});

test("a liveness check of another Pod's Galera node is rejected", async () => {
  const words = ['galera', 'db.example:3306', '--user', 'monitor', '--role', 'liveness'];
  const { code, stderr } = await runHelper('kolla-probe', words);
  assert.equal(code, 64);
  assert.match(stderr, /contacts db\.example, which is not this Pod/);
});
