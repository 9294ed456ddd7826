/**
 * RabbitMQ as the chart configures it, and the accounts of the charts' services: each chart's own configuration -> kolla-bootstrap
 * -> what the account may do at the broker.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { serviceNamed } from '../../src/catalog/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { freePorts } from '../../tools/port.ts';
import { must } from '../../tools/process.ts';
import { filesOf, textAt } from '../charts/service-charts.ts';
import { PASSWORDS, rendering } from '../charts/support.ts';
import { canRunOpenstackTools, openstackTools } from '../cluster/openstack-tools.ts';
import { pythonOf } from '../cluster/keystone-tree.ts';
import { canRunRabbitmq, startRabbitmq } from '../cluster/rabbitmq.ts';
import { amqpLogin } from '../support/amqp-login.ts';
import { runHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';

const skip = (await canRunHelm()) ?? (await canRunRabbitmq()) ?? (await canRunOpenstackTools()) ?? false;

const SERVICES = ['nova', 'neutron', 'cinder', 'heat'] as const;
const ADMIN = 'openstack';
const passwordOf = (account: string) => PASSWORDS[`${account === ADMIN ? '' : `${account}_`}rabbitmq_password`] ?? '';

/** oslo.messaging with a service's configuration and two transport URLs: a server that logs in by the first, a client by the second. */
const CALL = `
import sys
from oslo_config import cfg
import oslo_messaging

class Endpoint:
    def echo(self, context, text):
        return text

cfg.CONF(['--config-file', sys.argv[1]], project='test', default_config_dirs=[])
transport = lambda url: oslo_messaging.get_rpc_transport(cfg.CONF, url=url)
target = oslo_messaging.Target(topic='test-' + sys.argv[4], server='server')
server = oslo_messaging.get_rpc_server(transport(sys.argv[2]), target, [Endpoint()], executor='threading')
server.start()
client = oslo_messaging.RPCClient(transport(sys.argv[3]), oslo_messaging.Target(topic='test-' + sys.argv[4]), timeout=60)
print(client.call({}, 'echo', text='answered'))
server.stop()
server.wait()
`;

describe("RabbitMQ's accounts of the charts", { skip }, () => {
  const stack = new AsyncDisposableStack();
  let directory: string;
  let port = 0;
  let api: string;

  before(async () => {
    directory = stack.use(await privateDirectory('accounts')).path;
    const [amqp = 0, management = 0] = await freePorts(2);
    await using chart = await rendering('rabbitmq');
    const rendered = await chart.render();
    const conf = filesOf(rendered, rendered.one('StatefulSet', 'rabbitmq')).get('rabbitmq.conf') ?? '';
    const configuration = conf
      .replace('listeners.tcp.default = 5672', `listeners.tcp.default = 127.0.0.1:${amqp}`)
      .replace('management.tcp.port = 15672', `management.tcp.port = ${management}\nmanagement.tcp.ip = 127.0.0.1`);
    stack.use(await startRabbitmq({ port: amqp, configuration }));
    [port, api] = [amqp, `http://127.0.0.1:${management}`];
    for (const name of SERVICES) await writeConfig(name, name);
  });
  after(() => stack.disposeAsync());

  const fileOf = (name: string) => join(directory, `${name}.conf`);
  /** The configuration of the chart's Job, with this broker, and another account if that is given. */
  const writeConfig = async (name: string, account: string) => {
    await using chart = await rendering(name);
    const rendered = await chart.render();
    const job = rendered.of('Job').find(({ metadata }) => metadata.name.startsWith(`${name}-bootstrap`));
    const text = textAt(filesOf(rendered, job!), serviceNamed(name)?.configFile ?? '') ?? '';
    // Without a database there is no lock.
    const alone = text.replaceAll(/^connection = .*\n/gm, '');
    const login = `rabbit://${account}:${passwordOf(account)}@127.0.0.1:${port}`;
    await writeFile(fileOf(name), alone.replace(/(?<=^transport_url = )rabbit:\/\/[^@]*@rabbitmq:5672/m, login));
  };
  const bootstrap = async (name: string, ...words: string[]) =>
    await runHelper('kolla-bootstrap', [...words, name, '--only', 'queue', '--rabbitmq-url', api], {
      env: {
        KOLLA_BOOTSTRAP_SERVICE_CONFIG: fileOf(name),
        KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_USER: ADMIN,
        KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_PASSWORD: passwordOf(ADMIN),
      },
    });
  const made = async (name: string) => {
    const { code, stderr } = await bootstrap(name);
    assert.equal(code, 0, stderr);
    return stderr;
  };
  const ask = async (account: string, path: string, init: RequestInit = {}) =>
    await fetch(`${api}/api${path}`, {
      ...init,
      headers: {
        authorization: `Basic ${btoa(`${account}:${passwordOf(account)}`)}`,
        'content-type': 'application/json',
      },
    });
  const read = async (path: string): Promise<unknown> => await (await ask(ADMIN, path)).json();
  const loginTo = (account: string, vhost: string) => amqpLogin(port, account, passwordOf(account), vhost);

  for (const name of SERVICES)
    test(`${name} has an account of its own, which reaches its virtual host and administers nothing`, async () => {
      const other = `not-${name}`;
      await ask(ADMIN, `/vhosts/${other}`, { method: 'PUT' });
      const said = await made(name);
      assert.doesNotMatch(said, /administrator/);
      assert.deepEqual(((await read(`/users/${name}`)) as { tags: unknown }).tags, []);
      assert.deepEqual(await read(`/users/${name}/permissions`), [
        { user: name, vhost: '/', configure: '.*', write: '.*', read: '.*' },
      ]);
      assert.deepEqual([await loginTo(name, '/'), await loginTo(name, other)], ['open', 'closed']);
      const init = { method: 'PUT', body: JSON.stringify({ password: 'x', tags: 'administrator' }) };
      for (const path of ['/users', `/users/${name}`]) assert.equal((await ask(name, path)).status, 401);
      assert.equal((await ask(name, `/users/${name}`, init)).status, 401);
      assert.deepEqual(((await read(`/users/${name}`)) as { tags: unknown }).tags, []);
    });

  test('while an upgrade rolls, services with the shared account and with their own call each other', async () => {
    await made('nova');
    const { command, env } = await pythonOf((await openstackTools()).directory);
    const urlOf = (account: string) => `rabbit://${account}:${passwordOf(account)}@127.0.0.1:${port}//`;
    for (const [server, client] of [
      [ADMIN, 'nova'],
      ['nova', ADMIN],
    ] as const) {
      const args = ['-c', CALL, fileOf('nova'), urlOf(server), urlOf(client), server];
      assert.equal(await must(command, args, { env, cwd: directory }), 'answered\n');
    }
  });

  test('a service that logs in as an administrator is logged once, and its run leaves that account as it is', async () => {
    await writeConfig('heat', ADMIN);
    const said = await made('heat');
    assert.equal(
      said.match(/heat logs in to RabbitMQ as openstack, which has the tag administrator: put/g)?.length,
      1,
      said,
    );
    assert.deepEqual(((await read(`/users/${ADMIN}`)) as { tags: unknown }).tags, ['administrator']);
    const removed = await bootstrap('heat', 'delete');
    assert.deepEqual([removed.code, removed.stdout], [0, '']);
    await writeConfig('heat', 'heat');
  });

  test("delete removes the service's own account in the shared virtual host, unless it is connected, and no other", async () => {
    await made('heat');
    await made('cinder');
    const gone = new AbortController();
    assert.equal(await amqpLogin(port, 'heat', passwordOf('heat'), '/', gone.signal), 'open');
    const connections = async () =>
      ((await read('/vhosts/%2F/connections')) as { user: string }[]).map(({ user }) => user);
    await until('the connection to be listed', async () => (await connections()).includes('heat') || undefined);
    const used = await bootstrap('heat', 'delete', '--yes');
    assert.equal(used.code, 69);
    assert.match(used.stderr, /RabbitMQ's account heat is in use \(1 connections\)/);
    gone.abort();
    await until('the connection to be gone', async () => !(await connections()).includes('heat') || undefined);
    assert.equal((await bootstrap('heat', 'delete')).stdout, '- queue user heat\n');
    assert.equal((await bootstrap('heat', 'delete', '--yes')).code, 0);
    assert.deepEqual([await loginTo('heat', '/'), await loginTo('cinder', '/')], ['refused', 'open']);
    // Several services may use an account with another name.
    await writeConfig('heat', 'cinder');
    assert.deepEqual((await bootstrap('heat', 'delete')).stdout, '');
  });
});
