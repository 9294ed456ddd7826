/** Logins of kolla-probe on both engines, at real servers: MySQL, whose accounts use caching_sha2_password, and MariaDB. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { makeAuthority } from '../cluster/authority.ts';
import { ENGINES } from '../cluster/both-engines.ts';
import { canBuildCore } from '../cluster/core-binary.ts';
import { canRunMariadb, startMariadb } from '../cluster/mariadb.ts';
import { canRunMysql, startMysql } from '../cluster/mysql.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';
import { fileLimit } from '../support/file-limit.ts';

fileLimit(15);

const core = await canBuildCore();
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const { path } = stack.use(await privateDirectory('mysql-logins'));
const save = async (name: string, text: string) => {
  await writeFile(join(path, name), text, { mode: 0o600 });
  return join(path, name);
};
const authority = makeAuthority('database CA');
const caFile = await save('ca.pem', authority.certificate);
const server = authority.issue({ commonName: 'server', hosts: ['localhost'] });
const serverFiles = [
  `--ssl-ca=${caFile}`,
  `--ssl-cert=${await save('server.crt', server.certificate)}`,
  `--ssl-key=${await save('server.key', server.key)}`,
];
const client = authority.issue({ commonName: 'probe' });
const stranger = makeAuthority('another CA').issue({ commonName: 'probe' });
const FILES = {
  clientCert: await save('client.crt', client.certificate),
  clientKey: await save('client.key', client.key),
  strangerCert: await save('stranger.crt', stranger.certificate),
  strangerKey: await save('stranger.key', stranger.key),
};

const ENV = { KOLLA_PROBE_PASSWORD: 'hidden' };
const PLAIN = ['--user', 'probe'];
const REQUIRED = [...PLAIN, '--tls', 'require'];
const VERIFIED = [...PLAIN, '--tls', 'verify', '--ca-file', caFile];
const FULL = /requests the password of probe itself \(caching_sha2_password\), which is sent only to a server verified/;

interface Server {
  readonly port: number;
  readonly socket: string;
  query(sql: string): Promise<unknown>;
}

/** An option file of these lines, and the login. */
async function defaults(name: string, ...lines: readonly string[]): Promise<string[]> {
  const text = ['[client]', 'user=probe', 'password=hidden', `ssl-ca=${caFile}`, ...lines, ''].join('\n');
  return ['--defaults-file', await save(name, text)];
}

/** Cases of any server. `at` is the name in its certificate, `address` one that is not. */
async function anyServer(ask: (words: readonly string[]) => Promise<string>, { port }: Server): Promise<void> {
  const at = `localhost:${port}`;
  const address = `127.0.0.1:${port}`;
  assert.equal(await ask(['mysql', at, ...VERIFIED]), '0');
  assert.match(await ask(['mysql', address, ...VERIFIED]), /^1: .*is not for that name/);
  assert.match(await ask(['galera', at, ...VERIFIED]), /^1: .*: it is not a Galera node: wsrep_provider is none$/);
  assert.equal(await ask(['mysql', address]), '0', 'it greets');
  const unnamed = await defaults('unnamed.cnf', 'ssl-verify-server-cert=off');
  assert.equal(await ask(['mysql', address, ...unnamed]), '0', 'the CA is verified, and the name is not');
  const { strangerCert, strangerKey, clientCert, clientKey } = FILES;
  const other = await save('other.pem', makeAuthority('another CA').certificate);
  assert.match(
    await ask(['mysql', at, ...PLAIN, '--tls', 'verify', '--ca-file', other]),
    /^1: .*is not signed by the CA in \S+other\.pem \(.*\): put the CA/,
  );
  const certified = await defaults('certified.cnf', `ssl-cert=${clientCert}`, `ssl-key=${clientKey}`);
  assert.equal(await ask(['mysql', at, ...certified]), '0');
  const mixed = await defaults('mixed.cnf', `ssl-cert=${clientCert}`, `ssl-key=${strangerKey}`);
  assert.match(
    await ask(['mysql', at, ...mixed]),
    /stranger\.key is not the key of the certificate in \S+client\.crt$/,
  );
  const keyless = await defaults('keyless.cnf', `ssl-cert=${clientCert}`);
  assert.match(await ask(['mysql', at, ...keyless]), /client\.crt, configured for TLS, contains no PEM private key$/);
  const strange = await defaults('strange.cnf', `ssl-cert=${strangerCert}`, `ssl-key=${strangerKey}`);
  assert.match(
    await ask(['mysql', at, ...strange]),
    /^1: .*(?:rejects the client certificate in \S+stranger\.crt|TLS with the server at \S+ failed): /,
  );
}

for (const { name: engine, ask: asking } of ENGINES) {
  const ask = async (words: readonly string[], env: NodeJS.ProcessEnv = words.includes('--user') ? ENV : {}) => {
    const said = await asking(words, env);
    assert.doesNotMatch(said, /hidden/);
    return said;
  };

  describe(`MySQL, on ${engine}`, { skip: (await canRunMysql()) ?? core ?? false }, () => {
    let mysql: Server;
    let at: string;
    before(async () => {
      mysql = stack.use(await startMysql(serverFiles));
      at = `localhost:${mysql.port}`;
      await mysql.query(
        `CREATE USER probe@'%' IDENTIFIED BY 'hidden'; CREATE USER open@'%' IDENTIFIED BY '';
         CREATE USER old@'%' IDENTIFIED WITH sha256_password BY 'hidden'`,
      );
    });

    test('the password goes to a verified server or through a socket, a proof to any', async () => {
      assert.match(await ask(['mysql', at, ...PLAIN]), FULL);
      assert.match(await ask(['mysql', at, ...REQUIRED]), FULL);
      assert.equal(await ask(['mysql', at, ...VERIFIED]), '0');
      assert.equal(await ask(['mysql', at, ...PLAIN]), '0', 'the server has the hash in memory');
      assert.equal(await ask(['mysql', at, ...REQUIRED]), '0');
      await mysql.query('FLUSH PRIVILEGES');
      assert.match(await ask(['mysql', at, ...PLAIN]), FULL);
      assert.equal(await ask(['mysql', mysql.socket, ...PLAIN]), '0');
      assert.equal(await ask(['mysql', at, ...PLAIN]), '0');
    });

    test('a wrong password is rejected, by proof and in full; none is a login too', async () => {
      const wrong = { KOLLA_PROBE_PASSWORD: 'wrong' };
      const rejected = /^1: mysql \S+: it rejects the login of 'probe': error 1045: Access denied for user/;
      assert.match(await ask(['mysql', at, ...VERIFIED], wrong), rejected);
      assert.equal(await ask(['mysql', at, ...VERIFIED]), '0');
      assert.match(await ask(['mysql', at, ...VERIFIED], wrong), rejected);
      assert.equal(await ask(['mysql', at, '--user', 'open'], {}), '0');
    });

    test('sha256_password works over verified TLS', async () => {
      const old = ['--user', 'old'];
      assert.equal(await ask(['mysql', at, ...old, ...VERIFIED.slice(2)]), '0');
      assert.match(
        await ask(['mysql', at, ...old, '--tls', 'require']),
        /requests the password of old itself \(sha256_password\)/,
      );
    });

    test('TLS, names, client certificates, option files', async () => await anyServer(ask, mysql));
  });

  for (const version of ['10.11', '11.8'] as const)
    describe(`MariaDB ${version}, on ${engine}`, { skip: (await canRunMariadb()) ?? core ?? false }, () => {
      let mariadb: Server;
      before(async () => {
        mariadb = stack.use(await startMariadb({ version, extraArgs: serverFiles }));
        await mariadb.query("CREATE USER probe@'%' IDENTIFIED BY 'hidden'");
      });

      test('a proof logs in everywhere', async () => {
        const at = `localhost:${mariadb.port}`;
        for (const words of [PLAIN, REQUIRED, VERIFIED]) assert.equal(await ask(['mysql', at, ...words]), '0');
        assert.equal(await ask(['mysql', mariadb.socket, ...PLAIN]), '0');
        const wrong = { KOLLA_PROBE_PASSWORD: 'wrong' };
        assert.match(
          await ask(['mysql', at, ...PLAIN], wrong),
          /: it rejects the login of 'probe': error 1045: Access/,
        );
      });

      test('TLS, names, client certificates, option files', async () => await anyServer(ask, mariadb));
    });
}

describe('certificates', { skip: core ?? false }, () => {
  test('an encrypted key is refused, on both engines', async () => {
    const encrypted = join(path, 'encrypted.key');
    await must('openssl', ['ec', '-aes256', '-passout', 'pass:x', '-in', FILES.clientKey, '-out', encrypted]);
    const words = await defaults('encrypted.cnf', `ssl-cert=${FILES.clientCert}`, `ssl-key=${encrypted}`);
    for (const { ask } of ENGINES)
      assert.match(
        await ask(['mysql', 'localhost:1', ...words]),
        /encrypted\.key: the key is encrypted, and a passphrase/,
      );
  });
});
