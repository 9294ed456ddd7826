import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { canRunMariadb, startMariadb } from '../cluster/mariadb.ts';
import { mariadbVersion } from '../cluster/server-versions.ts';
import { runHelper } from '../support/helper.ts';
import type { Finished } from '../../tools/process.ts';
import { startTlsServer, type TlsServer } from './kolla-db-sync-tls-support.ts';

const skip = (await canRunMariadb()) ?? false;
let sites = 0;

describe('kolla-db-sync and TLS', { skip }, () => {
  let server: TlsServer;
  let database: string;
  before(async () => {
    server = await startTlsServer();
  });
  after(() => server[Symbol.asyncDispose]());
  beforeEach(() => {
    database = `tls${++sites}`;
  });

  /** Runs `kolla-db-sync ensure keystone` with these `ssl_*` parameters in its URL. */
  function ensure(
    parameters: Readonly<Record<string, string>>,
    args: readonly string[] = [],
    host = 'localhost',
    port = server.mariadb.port,
  ): Promise<Finished> {
    const url = `mysql+pymysql://${database}:pw@${host}:${port}/${database}?${new URLSearchParams(parameters).toString()}`;
    const env = { KOLLA_DB_SYNC_CONNECTION: url, KOLLA_DB_SYNC_ADMIN_PASSWORD: server.mariadb.rootPassword };
    return runHelper('kolla-db-sync', ['ensure', 'keystone', '--admin-user', 'root', ...args], { env });
  }

  /** Asserts that the run fails with this code and last line, without waiting for the server. */
  async function refuses(run: Promise<Finished>, code: number, says: RegExp): Promise<void> {
    const finished = await run;
    assert.equal(finished.code, code, finished.stderr);
    const last = finished.stderr.trim().split('\n').at(-1) ?? '';
    assert.match(last, says);
    assert.doesNotMatch(finished.stderr, /waiting for the database server/);
  }

  test('creates an account that requires TLS, and logs in', async () => {
    const { code, stderr } = await ensure({ ssl_ca: server.caFile }, ['--require', 'ssl']);
    assert.equal(code, 0, stderr);
    await refuses(ensure({}), 77, /must use TLS, and the database URL has none: add ssl_ca=FILE/);
  });

  test('creates an account that requires a certificate, and logs in', async () => {
    const { caFile: ssl_ca, client } = server;
    const own = { ssl_cert: client.certFile, ssl_key: client.keyFile };
    const { code, stderr } = await ensure({ ssl_ca, ...own }, ['--require', 'x509']);
    assert.equal(code, 0, stderr);
    await refuses(
      ensure({ ssl_ca }, ['--rotate']),
      77,
      /must present a client certificate, and the database URL has none/,
    );
    await refuses(ensure({ ssl_ca }, ['--require', 'x509']), 65, /has no client certificate: add ssl_cert=FILE/);
  });

  test("the admin uses its own certificate, with a URL without TLS and with the service's", async () => {
    const { caFile, client, mariadb, stranger } = server;
    await mariadb.query(`CREATE USER ${database}_admin IDENTIFIED BY 'of-the-admin' REQUIRE X509;
      GRANT ALL PRIVILEGES ON *.* TO ${database}_admin WITH GRANT OPTION`);
    const admin = (ca: readonly string[], certFile: string) =>
      runHelper(
        'kolla-db-sync',
        ['ensure', 'keystone', '--admin-user', `${database}_admin`, ...ca, '--admin-cert-file', certFile].concat(
          '--admin-key-file',
          client.keyFile,
        ),
        {
          env: {
            KOLLA_DB_SYNC_CONNECTION: `mysql+pymysql://${database}:pw@localhost:${mariadb.port}/${database}`,
            KOLLA_DB_SYNC_ADMIN_PASSWORD: 'of-the-admin',
          },
        },
      );
    const good = await admin(['--tls', 'verify', '--ca-file', caFile], client.certFile);
    assert.equal(good.code, 0, good.stderr);
    await refuses(
      admin(['--tls', 'verify', '--ca-file', caFile], stranger.certFile),
      65,
      /is not the key of the certificate in/,
    );
  });

  test('--tls decides for a URL without ssl_*: verified by --ca-file, unverified, and plain', async () => {
    const { caFile, otherCaFile, mariadb } = server;
    const done = async (args: readonly string[], host?: string) => {
      const { code, stderr } = await ensure({}, args, host);
      assert.equal(code, 0, stderr);
    };
    await done(['--tls', 'verify', '--ca-file', caFile]);
    await mariadb.query(`ALTER USER ${database} REQUIRE SSL`);
    await done(['--tls', 'verify', '--ca-file', caFile]);
    await done(['--tls', 'require'], '127.0.0.1');
    await refuses(ensure({}, ['--tls', 'off']), 77, /must use TLS/);
    await refuses(
      ensure({}, ['--tls', 'verify', '--ca-file', otherCaFile]),
      69,
      /not signed by the CA in .*other\.pem/,
    );
    await refuses(ensure({}, ['--tls', 'verify']), 69, /CA of this image's CA bundle .*name the CA .*--ca-file/);
    await refuses(ensure({}, ['--tls', 'verify', '--ca-file', caFile], '127.0.0.1'), 69, /is not for that name/);
  });

  test('--tls that contradicts the URL, and a CA bundle without use, are usage errors', async () => {
    const { caFile } = server;
    await refuses(ensure({ ssl_ca: caFile }, ['--tls', 'off']), 64, /--tls off contradicts ssl_\* in the database URL/);
    await refuses(ensure({}, ['--ca-file', caFile]), 64, /--ca-file is given without TLS: .* give --tls verify/);
    for (const mode of ['require', 'off'])
      await refuses(ensure({}, ['--tls', mode, '--ca-file', caFile]), 64, /which verifies no certificate/);
  });

  test('a certificate not signed by the CA is not trusted', async () => {
    const says = /not signed by the CA in .*other\.pem \(self-signed certificate in certificate chain\): put the CA/;
    await refuses(ensure({ ssl_ca: server.otherCaFile }), 69, says);
  });

  test('a certificate for another name is not trusted, even if the server is given by its address', async () => {
    const parameters = { ssl_ca: server.caFile };
    await refuses(ensure(parameters, [], '127.0.0.1'), 69, /127\.0\.0\.1:\d+ is not for that name: .*IP: 127\.0\.0\.1/);
    const { code, stderr } = await ensure({ ...parameters, ssl_check_hostname: 'false' }, [], '127.0.0.1');
    assert.equal(code, 0, stderr);
    await server.present({ hosts: ['mariadb.openstack'] });
    try {
      await refuses(ensure(parameters), 69, /localhost:\d+ is not for that name: .*mariadb\.openstack/);
      await server.present({ hosts: ['127.0.0.1'] });
      const byAddress = await ensure(parameters, [], '127.0.0.1');
      assert.equal(byAddress.code, 0, byAddress.stderr);
    } finally {
      await server.present({ hosts: ['localhost'] });
    }
  });

  test('an expired certificate is reported as expired', async () => {
    await server.present({ hosts: ['localhost'], validUntil: new Date(Date.now() - 60_000) });
    try {
      await refuses(
        ensure({ ssl_ca: server.caFile }),
        69,
        /certificate of the server at localhost:\d+ has expired: renew it/,
      );
    } finally {
      await server.present({ hosts: ['localhost'] });
    }
    const { code, stderr } = await ensure({ ssl_ca: server.caFile });
    assert.equal(code, 0, stderr);
  });

  test('names a client certificate that the server does not trust', async () => {
    const { caFile: ssl_ca, stranger } = server;
    const parameters = { ssl_ca, ssl_cert: stranger.certFile, ssl_key: stranger.keyFile };
    await refuses(ensure(parameters), 77, /rejects the client certificate in .*stranger\/tls\.crt: unknown ca/);
  });

  test('a server without TLS is rejected, not used unencrypted', async () => {
    await using plain = await startMariadb({ extraArgs: ['--skip-ssl'] });
    await refuses(
      ensure({ ssl_ca: server.caFile }, [], 'localhost', plain.port),
      69,
      /does not support TLS, which is required/,
    );
  });

  test('a server that requires TLS rejects an account without it', async () => {
    assert.equal((await ensure({})).code, 0);
    await server.mariadb.query('SET GLOBAL require_secure_transport = ON');
    try {
      const socket = ['--admin-socket', server.mariadb.socket];
      await refuses(ensure({}, socket), 77, /the server requires TLS for all accounts; add ssl_ca=FILE/);
      const { code, stderr } = await ensure({});
      assert.equal(code, 77);
      // From 11.4 on the server says so; before, it reports a wrong password.
      const said =
        mariadbVersion() === '10.11'
          ? /error 1045: .*; its password is different, or it must use TLS/
          : /error 3159: .*; the server requires TLS for all accounts; add ssl_ca=FILE/;
      assert.match(stderr, said);
    } finally {
      await server.mariadb.query('SET GLOBAL require_secure_transport = OFF');
    }
  });

  test('names files with wrong content', async () => {
    const { caFile: ssl_ca, client, stranger } = server;
    const ssl_cert = client.certFile;
    const junk = await server.file('junk.pem', 'junk\n');
    await refuses(ensure({ ssl_ca: '/nowhere/ca.pem' }), 65, /cannot read \/nowhere\/ca\.pem/);
    await refuses(ensure({ ssl_ca: junk }), 65, /junk\.pem, configured for TLS, contains no PEM certificate/);
    await refuses(ensure({ ssl_ca, ssl_cert, ssl_key: junk }), 65, /junk\.pem.* contains no PEM private key/);
    await refuses(ensure({ ssl_ca, ssl_cert, ssl_key: stranger.keyFile }), 65, /is not the key of the certificate in/);
  });
});
