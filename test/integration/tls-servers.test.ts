/** Real RabbitMQ, memcached and uWSGI, with the configuration that their charts render for global.tls. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { canRunHelm } from '../../tools/helm.ts';
import { freePort, freePorts } from '../../tools/port.ts';
import { must, start, tied } from '../../tools/process.ts';
import { canRunKeystone, keystone, uwsgiOf } from '../cluster/keystone.ts';
import { pythonOf } from '../cluster/keystone-tree.ts';
import { canRunMemcached, startMemcached } from '../cluster/memcached.ts';
import { canRunRabbitmq, startRabbitmq, type Rabbitmq } from '../cluster/rabbitmq.ts';
import { logLines, runHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';
import { startInit } from './waiting.ts';
import { tlsFileOf, tlsFiles, type TlsFiles } from './tls-support.ts';

const helm = await canRunHelm();
const noKeystone = await canRunKeystone();
const HOST = '127.0.0.1';
const PROTOCOL_HEADER = Buffer.from('AMQP\0\0\x09\x01', 'latin1');

describe('RabbitMQ with the TLS of its chart', { skip: helm ?? (await canRunRabbitmq()) ?? false }, () => {
  const stack = new AsyncDisposableStack();
  let files: TlsFiles;
  let broker: Rabbitmq;
  let managementPort = 0;
  before(async () => {
    files = stack.use(await tlsFiles('rabbitmq'));
    const [port = 0, management = 0] = await freePorts(2);
    managementPort = management;
    const configuration = files
      .here(await tlsFileOf('rabbitmq', 'rabbitmq.conf'))
      .replace('listeners.ssl.default = 5672', `listeners.ssl.default = ${HOST}:${port}`)
      .replace('management.ssl.port = 15672', `management.ssl.ip = ${HOST}\nmanagement.ssl.port = ${management}`);
    broker = stack.use(await startRabbitmq({ port, configuration }));
  });
  after(() => stack.disposeAsync());

  test('starts AMQP over TLS, and rejects a plain connection', async () => {
    using tls = await connected(broker.port, files);
    tls.write(PROTOCOL_HEADER);
    const [answer] = (await once(tls, 'data')) as [Buffer];
    assert.match(answer.toString('latin1'), /RabbitMQ/);
    const plain = connectPlain({ host: HOST, port: broker.port });
    const answers: Buffer[] = [];
    plain.on('data', (bytes: Buffer) => answers.push(bytes));
    // The connection may be reset after the TLS alert.
    plain.on('error', () => {});
    plain.write(PROTOCOL_HEADER);
    await new Promise((resolve) => void plain.once('close', resolve));
    assert.doesNotMatch(Buffer.concat(answers).toString('latin1'), /AMQP|RabbitMQ/);
  });

  test("the chart's readiness check and wait reach the broker", async () => {
    await reached('kolla-probe', 'tls', `${HOST}:${broker.port}`, '--ca-file', files.caFile);
    await reached('kolla-init', '--wait', `tcp://${HOST}:${broker.port}`, '--ca-file', files.caFile);
  });

  test('amqps:// is a wait, which verifies the broker and awaits its greeting', async () => {
    const wait = `amqps://${HOST}:${broker.port}`;
    await reached('kolla-init', '--wait', wait, '--ca-file', files.caFile);
    await reached('kolla-init', '--wait', wait, '--tls', 'require');
    await notReady(wait, /^its certificate is not signed by a CA of this image's CA bundle; --ca-file /);
    const off = await runHelper('kolla-init', ['--wait', wait, '--tls', 'off']);
    assert.equal(off.code, 64);
    assert.match(off.stderr, /--tls off contradicts wait 'amqps:\/\/\S+': write amqp:\/\/, or leave --tls out/);
    const missing = await runHelper('kolla-init', ['--wait', wait, '--ca-file', '/nowhere/ca.crt']);
    assert.equal(missing.code, 65);
    assert.match(missing.stderr, /--ca-file \/nowhere\/ca.crt: /);
  });

  test('amqps:// is an address of the checks amqp and rabbitmq', async () => {
    const address = `amqps://${HOST}:${broker.port}`;
    for (const check of ['amqp', 'rabbitmq']) {
      await reached('kolla-probe', check, address, '--ca-file', files.caFile);
      await reached('kolla-probe', check, `${address}/`, '--tls', 'require');
      assert.match(await unhealthy(check, address), /: its certificate is not signed by /);
      const off = await runHelper('kolla-probe', [check, address, '--tls', 'off']);
      assert.equal(off.code, 64);
      assert.match(off.stderr, /--tls off contradicts amqps:\/\/: write amqp:\/\/, or leave --tls out/);
    }
    await reached('kolla-probe', 'amqp', address, '--greeting', '--ca-file', files.caFile);
    const account = await runHelper('kolla-probe', ['amqp', `amqps://u:hidden@${HOST}`]);
    assert.equal(account.code, 64);
    assert.doesNotMatch(account.stderr, /hidden/);
  });

  test('plain text to the broker and its management API is reported as such', async () => {
    const alert = 'the server answered with a TLS alert, so it requires TLS';
    for (const port of [broker.port, managementPort]) {
      const at = `${HOST}:${port}`;
      for (const [kind, other] of [
        ['http', 'https'],
        ['amqp', 'amqps'],
        ['memcached', 'tcp'],
      ] as const)
        await notReady(`${kind}://${at}`, new RegExp(`^${alert}: use ${other}://$`));
      assert.equal(await unhealthy('http', `http://${at}/`), `http http://${at}/: ${alert}: use https://`);
      assert.equal(await unhealthy('amqp', at, '--greeting'), `amqp ${at}: ${alert}: give --tls verify`);
      assert.equal(await unhealthy('memcached', at), `memcached ${at}: ${alert}: use the check tls`);
      assert.equal(await unhealthy('redis', at), `redis ${at}: ${alert}: give --tls verify`);
      assert.equal(await unhealthy('grpc', at), `grpc ${at}: ${alert}: give --tls verify`);
    }
  });

  test('its management API is https only, and kolla-bootstrap reaches it with the CA bundle', async () => {
    const plain = await runHelper('kolla-probe', ['http', `http://${HOST}:${managementPort}/`]);
    assert.equal(plain.code, 1, plain.stderr);
    const conf = join(files.directory, 'nova.conf');
    // Without the sections of its databases: no server of theirs runs here that could hold the lock.
    const rendered = files.here(await tlsFileOf('nova', 'nova.conf'));
    await writeFile(conf, rendered.replaceAll(/^\[(?:api_)?database\]\n[^[]*/gm, ''));
    const env = {
      KOLLA_BOOTSTRAP_RABBITMQ_URL: `https://${HOST}:${managementPort}`,
      KOLLA_BOOTSTRAP_CA_FILE: files.caFile,
      KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_USER: 'openstack',
      KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_PASSWORD: 'of-rabbitmq-password',
    };
    const words = ['nova', '--only', 'queue', '--service-config', conf];
    const created = await runHelper('kolla-bootstrap', words, { env });
    assert.equal(created.code, 0, created.stderr);
    const again = await runHelper('kolla-bootstrap', words, { env });
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stderr, /queue: nothing to do/);
  });
});

describe('memcached with the TLS of its chart', { skip: helm ?? (await canRunMemcached()) ?? false }, () => {
  test('responds over TLS only', async () => {
    await using files = await tlsFiles('memcached');
    const port = await freePort();
    const { command } = JSON.parse(files.here(await tlsFileOf('memcached', 'config.json'))) as { command: string };
    const [, options = ''] = / (-Z -o \S+)/.exec(command) ?? [];
    await using running = await startMemcached(port, options.split(' '));
    assert.ok(running.pid > 0);
    using tls = await connected(port, files);
    tls.write('version\r\n');
    const [answer] = (await once(tls, 'data')) as [Buffer];
    assert.match(answer.toString(), /^VERSION /);
    await reached('kolla-probe', 'tls', `${HOST}:${port}`, '--ca-file', files.caFile);
    // It resets the connection, without an alert.
    const hint = (advice: string) => new RegExp(`ECONNRESET\\); if the server requires TLS, ${advice}$`);
    assert.match(await unhealthy('memcached', `${HOST}:${port}`), hint('use the check tls'));
    assert.match(await unhealthy('http', `http://${HOST}:${port}/`), hint('use https://'));
    assert.match(await unhealthy('grpc', `${HOST}:${port}`), hint('give --tls verify'));
    await notReady(`memcached://${HOST}:${port}`, hint('use tcp://'));
  });

  test("oslo.cache stores a value in it with the chart's [cache]", { skip: noKeystone ?? false }, async () => {
    await using files = await tlsFiles('memcached');
    const port = await freePort();
    await using running = await startMemcached(port, [
      '-Z',
      '-o',
      `ssl_chain_cert=${files.certFile},ssl_key=${files.keyFile}`,
    ]);
    assert.ok(running.pid > 0);
    const conf = join(files.directory, 'cache.conf');
    const [section = ''] = /^\[cache\]\n[^[]*/m.exec(files.here(await tlsFileOf('keystone', 'keystone.conf'))) ?? [];
    await writeFile(conf, section.replace(/^memcache_servers = .*$/m, `memcache_servers = ${HOST}:${port}`));
    const { command, env } = await pythonOf((await keystone()).directory);
    assert.equal(await must(command, ['-c', KEEPS_A_VALUE, conf], { env }), 'kept\n');
  });
});

describe('uWSGI with the TLS of the charts', { skip: helm ?? noKeystone ?? false }, () => {
  test('serves https only, tells the application so, and reloads a renewed certificate', async () => {
    await using files = await tlsFiles('keystone');
    const at = (name: string) => join(files.directory, name);
    const port = await freePort();
    const { directory, env } = await keystone();
    const uwsgi = await uwsgiOf(directory);
    await writeFile(at('schemes.py'), APPLICATION);
    const ini = files
      .here(await tlsFileOf('keystone', 'keystone-uwsgi.ini'))
      .replace('0.0.0.0:5000', `${HOST}:${port}`)
      .replace(/^module = .*$/m, `module = schemes:application\npythonpath = ${files.directory}`)
      .replace(/^plugins-dir = .*$/m, `plugins-dir = ${uwsgi.plugins}`)
      .replace(/^plugins = .*$/m, `plugins = http,${uwsgi.plugin}`)
      .replace(/^logto2 = .*$/m, `logto2 = ${at('uwsgi.log')}`);
    await writeFile(at('uwsgi.ini'), ini);
    await using server = await start(...tied(uwsgi.command, ['--ini', at('uwsgi.ini')]), {
      env,
      logFile: at('out.log'),
      throwAway: true,
    });
    assert.ok(server.pid > 0);
    const check = ['http', `https://${HOST}:${port}/`, '--ca-file', files.caFile];
    await until('uWSGI to answer', async (saw) => {
      const { code, stderr } = await runHelper('kolla-probe', check);
      saw(stderr);
      return code === 0 || undefined;
    });
    // The status that the application returned.
    await reached('kolla-probe', ...check, '--status', '299');
    await reached('kolla-init', '--wait', `https://${HOST}:${port}/`, '--ca-file', files.caFile);
    assert.match(await unhealthy('http', `http://${HOST}:${port}/`), /; if the server requires TLS, use https:\/\/$/);

    const { serialNumber } = new X509Certificate(await files.renew());
    // uWSGI compares whole seconds.
    const later = Date.now() / 1000 + 10;
    await utimes(files.certFile, later, later);
    await until('uWSGI to show the renewed certificate', async () => {
      using tls = await connected(port, files).catch(() => undefined);
      return tls?.getPeerCertificate().serialNumber === serialNumber || undefined;
    });
    await until('uWSGI to answer again', async () => (await runHelper('kolla-probe', check)).code === 0 || undefined);
  });
});

const KEEPS_A_VALUE = `
import sys
from oslo_cache import core
from oslo_config import cfg
conf = cfg.ConfigOpts()
core.configure(conf)
conf(['--config-file', sys.argv[1]])
region = core.configure_cache_region(conf, core.create_region())
region.set('name', 'kept')
print(region.get('name'))
`;

const APPLICATION = `
def application(environ, start_response):
    start_response('299 Secure' if environ['wsgi.url_scheme'] == 'https' else '500 Plain', [])
    return [b'']
`;

async function reached(helper: string, ...words: string[]): Promise<void> {
  const { code, stderr } = await runHelper(helper, words);
  assert.equal(code, 0, stderr);
}

/** The message of an unhealthy check. */
async function unhealthy(...words: string[]): Promise<string> {
  const { code, stderr } = await runHelper('kolla-probe', [...words, '--timeout', '30s']);
  assert.equal(code, 1, stderr);
  return logLines(stderr)[0]?.msg ?? '';
}

/** Awaits this state of a wait that does not become ready. */
async function notReady(wait: string, state: RegExp): Promise<void> {
  await using waiting = await startInit(['--wait', wait, '--timeout', '1h']);
  await waiting.state(wait, state);
  assert.equal(await waiting.running.stop(), 143);
}

/** A connection that verifies the server. */
async function connected(port: number, { caFile }: TlsFiles): Promise<TLSSocket & Disposable> {
  const socket = connect({ host: HOST, port, ca: await readFile(caFile) });
  await once(socket, 'secureConnect');
  return Object.assign(socket, { [Symbol.dispose]: () => void socket.destroy() });
}
