/** The chart mariadb with global.tls: three real nodes with its my.cnf, tested with clients, each other and a joiner. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { after, before, describe, test } from 'node:test';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { canRunHelm } from '../../tools/helm.ts';
import { canRunGalera, startGalera, type Galera, type GaleraNode } from '../cluster/galera.ts';
import { mariadbVersion } from '../cluster/server-versions.ts';
import { until } from '../support/until.ts';
import { runHelper } from '../support/helper.ts';
import { tlsFileOf, tlsFiles, type TlsFiles } from './tls-support.ts';

/** As docs/how-to/tls.md has it. */
const RELOAD =
  mariadbVersion() === '10.11'
    ? "SET GLOBAL wsrep_provider_options = 'socket.ssl_reload=1'"
    : 'SET GLOBAL wsrep_provider_socket_ssl_reload = ON';
const SEEN = 'SELECT id FROM keystone.seen';
const skip = (await canRunHelm()) ?? (await canRunGalera()) ?? false;

describe('Galera with the TLS of its chart', { skip }, () => {
  const stack = new AsyncDisposableStack();
  let files: TlsFiles;
  let galera: Galera;
  let nodes: readonly [GaleraNode, GaleraNode, GaleraNode];
  before(async () => {
    files = stack.use(await tlsFiles('mariadb'));
    const text = await tlsFileOf('mariadb', 'my.cnf', { workloads: { mariadb: { replicas: 3 } } });
    galera = stack.use(await startGalera({ configuration: files.here(text) }));
    nodes = galera.nodes as unknown as typeof nodes;
    await nodes[0].query(
      `CREATE USER monitor@'%' IDENTIFIED BY 'of-mariadb-monitor-password';
       CREATE DATABASE keystone; CREATE USER keystone@'%' IDENTIFIED BY 'kpw'; GRANT ALL ON keystone.* TO keystone@'%'`,
    );
    await galera.waitApplied();
  });
  after(() => stack.disposeAsync());

  test('three nodes are one cluster whose group connections are TLS', async () => {
    await galera.waitWhole();
    for (const node of nodes) {
      const [row] = await node.query("SHOW VARIABLES LIKE 'wsrep_provider_options'");
      assert.match(String(row?.['Value']), /socket\.ssl = YES/);
      assert.match(await readFile(node.errorLog, 'utf8'), /ssl:\/\/127\.0\.0\.1:\d+/);
      assert.doesNotMatch(await readFile(node.errorLog, 'utf8'), /established.*tcp:\/\//);
    }
  });

  test('rejects a client without TLS, and accepts one with it', async () => {
    for (const { host, port } of nodes) {
      const login = { host, port, user: 'keystone', password: 'kpw' };
      await assert.rejects(createConnection(login), /insecure transport|Access denied/);
      const ssl = { ca: await readFile(files.caFile) };
      const connection = await createConnection({ ...login, ssl });
      const [[row]] = await connection.query<RowDataPacket[]>("SHOW STATUS LIKE 'Ssl_version'");
      await connection.end();
      assert.match(String(row?.['Value']), /^TLSv1\.[23]$/);
    }
  });

  test("the chart's readiness check and kolla-db-sync reach the cluster as configured", async () => {
    const [{ host, port, rootPassword }] = nodes;
    const cnf = join(files.directory, 'healthcheck.cnf');
    await writeFile(cnf, files.here(await tlsFileOf('mariadb', 'healthcheck.cnf')));
    const check = ['galera', `${host}:${port}`, '--defaults-file', cnf, '--allow-donor'];
    const probe = await runHelper('kolla-probe', check);
    assert.equal(probe.code, 0, probe.stderr);
    await writeFile(`${cnf}.plain`, (await readFile(cnf, 'utf8')).replace(/^ssl-ca.*$/m, ''));
    const plain = await runHelper('kolla-probe', check.with(3, `${cnf}.plain`));
    assert.equal(plain.code, 1, plain.stderr);

    const conf = join(files.directory, 'keystone.conf');
    const rendered = files.here(await tlsFileOf('keystone', 'keystone.conf'));
    await writeFile(conf, rendered.replace('@mariadb:3306/', `@${host}:${port}/`));
    const env = { KOLLA_DB_SYNC_ADMIN_PASSWORD: rootPassword };
    const words = ['ensure', 'keystone', '--service-config', conf, '--admin-user', 'root', '--rotate'];
    const ensured = await runHelper('kolla-db-sync', words, { env });
    assert.equal(ensured.code, 0, ensured.stderr);
    const wait = await runHelper('kolla-init', ['--wait', `mysql://${host}:${port}`, '--ca-file', files.caFile]);
    assert.equal(wait.code, 0, wait.stderr);
  });

  test('a node that lost its data gets all of it over TLS', async () => {
    const [first, , last] = nodes;
    await first.query(
      'CREATE TABLE keystone.moved (id INT PRIMARY KEY) ENGINE=InnoDB; INSERT INTO keystone.moved VALUES (7)',
    );
    await last.stop();
    await last.loseData();
    await last.start();
    const [row] = await last.query('SELECT id FROM keystone.moved');
    assert.equal(row?.['id'], 7);
    const log = await readFile(last.errorLog, 'utf8');
    assert.match(log, /Using openssl based encryption with socat: with key and crt/);
    assert.match(log, /MODE='VERIFY_CA'/);
    await galera.waitWhole();
  });

  test('a read waits for what another node has committed before', async () => {
    const [first, second] = nodes;
    await first.query('CREATE TABLE keystone.seen (id INT PRIMARY KEY) ENGINE=InnoDB');
    await using pausing = await second.session();
    await using reading = await second.session();
    // Nothing is applied here meanwhile.
    await pausing.query('FLUSH TABLES WITH READ LOCK');
    await first.query('INSERT INTO keystone.seen VALUES (7)');
    const read = reading.query<RowDataPacket[]>(SEEN);
    const waits = until('the read to wait', async () => {
      const [threads] = await pausing.query<RowDataPacket[]>('SHOW PROCESSLIST');
      return threads.some(({ Info: statement }) => statement === SEEN) || undefined;
    });
    assert.equal(await Promise.race([waits, read]), true, 'it did not wait');
    await pausing.query('UNLOCK TABLES');
    assert.deepEqual((await read)[0], [{ id: 7 }]);
  });

  test('FLUSH SSL and socket.ssl_reload reload a renewed certificate, for clients and for the group', async () => {
    const [node] = nodes;
    const first = await serialAt(node, files);
    const { serialNumber } = new X509Certificate(await files.renew());
    assert.equal(await serialAt(node, files), first);
    assert.equal(await serialInGroup(node, files), first);
    await node.query(`FLUSH SSL; ${RELOAD}`);
    assert.equal(await serialAt(node, files), serialNumber);
    assert.equal(await serialInGroup(node, files), serialNumber);
    await galera.waitWhole();
  });
});

/** The serial number of the certificate that a node presents to clients. */
async function serialAt({ host, port }: GaleraNode, files: TlsFiles): Promise<string> {
  const ssl = { ca: await readFile(files.caFile) };
  const connection = await createConnection({
    host,
    port,
    user: 'keystone',
    password: 'of-keystone-database-password',
    ssl,
  });
  const { stream } = (connection as unknown as { connection: { stream: TLSSocket } }).connection;
  const { serialNumber } = stream.getPeerCertificate();
  await connection.end();
  return serialNumber;
}

/** The serial number of the certificate that a node presents to other nodes. */
async function serialInGroup(node: GaleraNode, files: TlsFiles): Promise<string> {
  const [row] = await node.query("SHOW VARIABLES LIKE 'wsrep_node_address'");
  const [host = '', port] = String(row?.['Value']).split(':');
  const names = { checkServerIdentity: () => undefined };
  const socket = connect({ host, port: Number(port), ca: await readFile(files.caFile), ...names });
  socket.on('error', () => {}); // it rejects a client without a certificate after its own
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}
