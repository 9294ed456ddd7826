/** `global.tls.enabled` for the charts of the quickstart on a real node, with certificates of a CA in Secrets. */
import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { makeAuthority } from '../cluster/authority.ts';
import { fileLimit } from '../support/file-limit.ts';
import { until } from '../support/until.ts';
import { openstackOf, passwordOf, QUICKSTART, restarts } from './openstack.ts';
import { NAMESPACE, setAio, whyNoAio, type Aio } from './stage.ts';

fileLimit(45);

const skip = (await whyNoAio()) ?? false;

/** The names that docs/how-to/tls.md requires for each server's certificate. */
const SERVERS = {
  mariadb: ['mariadb', '*.mariadb-nodes.openstack.svc.cluster.local'],
  rabbitmq: ['rabbitmq', '*.rabbitmq-nodes.openstack.svc.cluster.local'],
  memcached: ['memcached', '*.memcached-nodes.openstack.svc.cluster.local'],
  keystone: ['keystone'],
  'placement-api': ['placement'],
} as const;

describe('TLS between all servers and clients of the charts on a real node', { skip }, () => {
  let stage: Aio;
  const { exec, pods, serviceAt, whatIsWrong } = openstackOf(() => stage);
  const authority = makeAuthority('openstack CA');
  before(async () => (stage = await setAio()));
  after(async () => await stage?.[Symbol.asyncDispose]());

  /** A request to a Service, whose certificate must be for its name. */
  async function ask(service: string, port: number, path: string, headers: Record<string, string>, body?: object) {
    const sent = request({
      host: '127.0.0.1',
      port: await serviceAt(service, port),
      servername: service,
      ca: authority.certificate,
      method: body === undefined ? 'GET' : 'POST',
      path,
      headers: { 'content-type': 'application/json', ...headers },
      agent: false,
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [reply] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: reply.statusCode, headers: reply.headers, body: await text(reply) };
  }

  test('all charts start with TLS, in the order of their waits, and no container is restarted', async () => {
    await stage.quickstart.run(QUICKSTART, 0);
    // passwords.yml contains only global.passwords, so this line adds global.tls.
    await appendFile(join(stage.directory, 'passwords.yml'), '  tls: { enabled: true }\n');
    const installed = stage.quickstart.run(QUICKSTART, 1);
    await Promise.all([installed, giveSecrets()]).catch(async (cause: unknown) => {
      throw new Error(await whatIsWrong(), { cause });
    });
    const counts = Object.values(restarts(await pods()));
    assert.ok(counts.length >= Object.keys(SERVERS).length && counts.every((count) => count === 0), String(counts));
  });

  test('Keystone issues a token over https, which Placement validates', async () => {
    const password = await passwordOf(stage.directory, 'keystone_admin_password');
    const user = { name: 'admin', domain: { id: 'default' }, password };
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    const auth = { identity: { methods: ['password'], password: { user } }, scope };
    const issued = await ask('keystone', 5000, '/v3/auth/tokens', {}, { auth });
    assert.equal(issued.status, 201, issued.body);
    const urls = [...issued.body.matchAll(/"url": "([^"]*)"/g)].map(([, url = '']) => url);
    assert.ok(urls.length > 0 && urls.every((url) => url.startsWith('https://')), String(urls));
    const token = String(issued.headers['x-subject-token']);
    const listed = await ask('placement', 8780, '/resource_providers', { 'x-auth-token': token });
    assert.equal(listed.status, 200, listed.body);
  });

  test('no server accepts a plain connection', async () => {
    const from = async (script: string) => await exec('deploy/keystone', 'keystone', `${script}; echo "code $?"`);
    for (const plain of ['http http://keystone:5000/v3', 'http http://placement:8780/', 'memcached memcached:11211'])
      assert.match(await from(`kolla-probe ${plain} 2>&1`), /^code 1$/m, plain);
    const root = await passwordOf(stage.directory, 'database_password');
    const login = `mariadb --host=127.0.0.1 --user=root --password=${root}`;
    const logsIn = async (...words: string[]) =>
      await exec('mariadb-0', 'mariadb', `${[login, ...words].join(' ')} --batch --execute='SELECT 1' 2>&1; true`);
    assert.equal(await logsIn('--ssl'), '1\n1\n');
    // MariaDB 11.4 and later say what is missing; 10.11 says that the login is rejected.
    assert.match(
      await logsIn('--skip-ssl'),
      /^ERROR (?:3159 \(08004\): Connections using insecure|1045 \(28000\): Access denied)/m,
    );
  });

  /** Creates the Secrets when the Pods exist already: the kubelet waits for Secrets. */
  async function giveSecrets(): Promise<void> {
    const isThere = async () =>
      (await stage.node.kubectl(['get', 'namespaces', '--output=name'])).includes(`/${NAMESPACE}\n`) || undefined;
    await until('the namespace to be created', isThere);
    const secrets = Object.entries(SERVERS).map(([name, hosts]) => {
      const issued = authority.issue({ commonName: name, hosts: [...hosts, 'localhost', '127.0.0.1'] });
      return secret(`${name}-tls`, { 'tls.crt': issued.certificate, 'tls.key': issued.key });
    });
    const items = [secret('openstack-ca', { 'ca.crt': authority.certificate }), ...secrets];
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await stage.node.kubectl(['apply', '--filename=-'], list);
  }
});

function secret(name: string, stringData: Record<string, string>): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: NAMESPACE }, stringData };
}
