import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { logLines, runHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';
import { startTlsServer, type TlsServer } from './kolla-db-sync-tls-support.ts';

const skip = (await canRunMariadb()) ?? false;
const stack = new AsyncDisposableStack();
const DAY_MS = 86_400_000;
const LOGIN = ['--user', 'probe'];
const PASSWORD = { KOLLA_PROBE_PASSWORD: 'hidden' };
let server: TlsServer;
let at: string;

before(async () => {
  if (skip !== false) return;
  server = stack.use(await startTlsServer());
  const { mariadb } = server;
  at = `localhost:${mariadb.port}`;
  await mariadb.query("CREATE USER probe@'%' IDENTIFIED BY 'hidden'");
});
after(() => stack.disposeAsync());

async function ask(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, stderr } = await runHelper('kolla-probe', [...words, '--timeout', '30s'], { env });
  assert.doesNotMatch(stderr, /hidden/);
  const reason = logLines(stderr).at(-1)?.msg ?? stderr;
  return code === 0 ? 'healthy' : `${code}: ${reason.replace(/^\w+ \S+: /, '')}`;
}

/** The server counts a connection, and then logs it, when it finds it closed. */
async function aborted(): Promise<Record<string, number>> {
  const rows = await server.mariadb.query("SHOW GLOBAL STATUS LIKE 'Aborted%'");
  return Object.fromEntries(rows.map((row) => [String(row['Variable_name']), Number(row['Value'])]));
}

const logged = async () => await readFile(server.mariadb.errorLog, 'utf8');

test('a login without privileges is enough, without TLS and with verified TLS', { skip }, async () => {
  assert.equal(await ask(['mysql', at, ...LOGIN], PASSWORD), 'healthy');
  assert.equal(await ask(['mysql', at, ...LOGIN, '--tls', 'verify', '--ca-file', server.caFile], PASSWORD), 'healthy');
  assert.equal(await ask(['mysql', at, ...LOGIN, '--tls', 'require'], PASSWORD), 'healthy');
  assert.equal(await ask(['mysql', server.mariadb.socket, ...LOGIN], PASSWORD), 'healthy');
});

test('a wrong password, an unknown CA, and another name each have their reason', { skip }, async () => {
  const [counts, log] = [await aborted(), await logged()];
  assert.match(
    await ask(['mysql', at, ...LOGIN], { KOLLA_PROBE_PASSWORD: 'wrong' }),
    /^1: it rejects the login of 'probe': error 1045/,
  );
  const tls = ['mysql', at, ...LOGIN, '--tls', 'verify', '--ca-file'];
  assert.match(await ask([...tls, server.otherCaFile], PASSWORD), /^1: .*is not signed by the CA in /);
  const byAddress = [
    'mysql',
    `127.0.0.1:${server.mariadb.port}`,
    ...LOGIN,
    '--tls',
    'verify',
    '--ca-file',
    server.caFile,
  ];
  assert.match(await ask(byAddress, PASSWORD), /^1: .*is not for that name/);
  assert.match(await ask(['galera', at, ...LOGIN], PASSWORD), /^1: it is not a Galera node: wsrep_provider is none/);
  // The next test compares with what the server has counted and logged.
  await until('the three refused connections to be counted and logged', async (saw) => {
    const [then, said] = [await aborted(), (await logged()).slice(log.length)];
    saw([then, said]);
    // The login with a wrong password is logged otherwise, and earlier.
    const lines = said.match(/Aborted connection/g)?.length ?? 0;
    return (then['Aborted_connects']! >= counts['Aborted_connects']! + 3 && lines >= 2) || undefined;
  });
});

test('the server logs nothing about a probe that logs in, and counts no aborted connection', { skip }, async () => {
  const [log, counts] = [await logged(), await aborted()];
  for (let i = 0; i < 3; i++) assert.equal(await ask(['mysql', at, ...LOGIN], PASSWORD), 'healthy');
  assert.deepEqual(await aborted(), counts);
  assert.equal(await logged(), log);
  assert.equal(await ask(['mysql', at]), 'healthy');
  await until('a greeting alone to be counted', async () => {
    return (await aborted())['Aborted_connects']! > counts['Aborted_connects']! || undefined;
  });
});

test('a login beyond the connections per hour of its account is reported', { skip }, async () => {
  const { mariadb } = server;
  await mariadb.query("ALTER USER probe@'%' WITH MAX_CONNECTIONS_PER_HOUR 1");
  await ask(['mysql', at, ...LOGIN], PASSWORD);
  assert.match(await ask(['mysql', at, ...LOGIN], PASSWORD), /^1: error 1226: .*max_connections_per_hour/);
  await mariadb.query("ALTER USER probe@'%' WITH MAX_CONNECTIONS_PER_HOUR 0");
});

test(
  'an expired certificate is rejected with the fix; the tls check reports that MariaDB is not a TLS server',
  { skip },
  async () => {
    // MariaDB negotiates TLS within its own protocol, so the `tls` check reports that it is not a TLS server.
    assert.match(await ask(['tls', at]), /^1: the server does not speak TLS/);
    await server.present({ hosts: ['localhost'], validUntil: new Date(Date.now() - DAY_MS) });
    assert.match(
      await ask(['mysql', at, ...LOGIN, '--tls', 'verify', '--ca-file', server.caFile], PASSWORD),
      /^1: .*has expired: renew it/,
    );
    assert.equal(await ask(['mysql', at, ...LOGIN], PASSWORD), 'healthy');
  },
);
