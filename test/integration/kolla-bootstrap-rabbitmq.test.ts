import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { rabbitmqVersion } from '../cluster/server-versions.ts';
import { canRunRabbitmq, startRabbitmq, type Rabbitmq } from '../cluster/rabbitmq.ts';
import { amqpLogin } from '../support/amqp-login.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper } from '../support/helper.ts';
import { startHttpProxy, type HttpProxy } from '../support/http-proxy.ts';
import { freePort } from '../../tools/port.ts';
import type { Finished } from '../../tools/process.ts';
import { until } from '../support/until.ts';

const skip = (await canRunRabbitmq()) ?? false;

interface Site extends AsyncDisposable {
  readonly name: string;
  readonly password: string;
  readonly proxy: HttpProxy;
  /** Runs `kolla-bootstrap nova --only queue` with the transport URL in its nova.conf. */
  bootstrap(password?: string, words?: readonly string[]): Promise<Finished>;
  plan(password?: string): Promise<Finished>;
  delete(words?: readonly string[]): Promise<Finished>;
  writes(): string[];
  login(password?: string): Promise<string>;
  /** Sends requests to the management API as the broker's admin. */
  ask(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
}

let count = 0;

async function newSite(rabbitmq: Rabbitmq): Promise<Site> {
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await privateDirectory('bootstrap-mq')).path;
  const proxy = stack.use(await startHttpProxy(Number(new URL(rabbitmq.managementUrl!).port)));
  const [name, file] = [`nova${++count}`, join(directory, 'nova.conf')];
  const own = "hidden:/p@ss's";
  const env = {
    KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_USER: 'guest',
    KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_PASSWORD: 'guest',
    KOLLA_BOOTSTRAP_SERVICE_CONFIG: file,
    KOLLA_BOOTSTRAP_TIMEOUT: '1h',
  };
  const run = async (command: readonly string[], password: string, words: readonly string[]) => {
    const account = `${name}:${encodeURIComponent(password)}`;
    const url = `rabbit://${account}@127.0.0.1:${rabbitmq.port}/${name}%2Fv`;
    await writeFile(file, `[DEFAULT]\ntransport_url = ${url}\n`);
    const to = words.includes('--rabbitmq-url') ? [] : ['--rabbitmq-url', `http://127.0.0.1:${proxy.port}`];
    return await runHelper('kolla-bootstrap', [...command, 'nova', '--only', 'queue', ...to, ...words], { env });
  };
  const moved = stack.move();
  return {
    name,
    password: own,
    proxy,
    bootstrap: (password = own, words = []) => run([], password, words),
    plan: (password = own) => run(['plan'], password, []),
    delete: (words = []) => run(['delete'], own, words),
    writes: () => proxy.passed.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
    login: (password = own) => amqpLogin(rabbitmq.port, name, password, `${name}/v`),
    async ask(method, path, body) {
      const reply = await fetch(`${rabbitmq.managementUrl}/api${path}`, {
        method,
        headers: { authorization: `Basic ${btoa('guest:guest')}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      assert.ok(reply.ok, `${reply.status}: ${text}`);
      return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

function isDone({ code, stderr }: Finished): void {
  assert.equal(code, 0, stderr);
  assert.ok(!stderr.includes('hidden'), 'a secret was shown');
}

describe('kolla-bootstrap and a real RabbitMQ', { skip }, () => {
  const stack = new AsyncDisposableStack();
  let rabbitmq: Rabbitmq;

  before(async () => {
    rabbitmq = stack.use(await startRabbitmq({ management: true }));
  });
  after(() => stack.disposeAsync());

  test('on an empty broker: the plan shows everything, a run creates it, and the service logs in; a second run only reads', async () => {
    await using site = await newSite(rabbitmq);
    const plan = await site.plan();
    assert.equal(plan.code, 1, plan.stderr);
    assert.match(
      plan.stdout,
      /^\+ virtual host nova\d+\/v\n\+ queue user nova\d+\n\+ permissions of nova\d+ in virtual host/,
    );
    assert.equal(await site.login(), 'refused');
    isDone(await site.bootstrap());
    assert.equal(await site.login(), 'open');
    site.proxy.forget();
    isDone(await site.bootstrap());
    assert.equal(site.proxy.passed.length, 3);
    assert.deepEqual(site.writes(), []);
  });

  test("sets another password once, and keeps the account's tags", async () => {
    await using site = await newSite(rabbitmq);
    isDone(await site.bootstrap());
    await site.ask('PUT', `/users/${site.name}`, { password: site.password, tags: 'monitoring,own' });
    site.proxy.forget();
    isDone(await site.bootstrap('hidden-new'));
    assert.deepEqual(site.writes(), [`PUT /api/users/${site.name}`]);
    assert.deepEqual([await site.login(), await site.login('hidden-new')], ['refused', 'open']);
    assert.deepEqual((await site.ask('GET', `/users/${site.name}`))['tags'], ['monitoring', 'own']);
  });

  test('narrowed permissions of an existing account are shown before they are widened', async () => {
    await using site = await newSite(rabbitmq);
    await site.ask('PUT', `/vhosts/${encodeURIComponent(`${site.name}/v`)}`);
    assert.equal(await site.login(), 'refused');
    isDone(await site.bootstrap());
    const path = `/permissions/${encodeURIComponent(`${site.name}/v`)}/${site.name}`;
    await site.ask('PUT', path, { configure: '^$', write: '.*', read: '.*' });
    const plan = await site.plan();
    assert.match(
      plan.stdout,
      /^~ permissions of nova\d+ in virtual host nova\d+\/v\n {4}configure: - \^\$\n {15}\+ \.\*\n$/,
    );
    isDone(await site.bootstrap());
    assert.equal((await site.ask('GET', path))['configure'], '.*');
  });

  test('two concurrent runs, and lost responses, end like one run', async () => {
    await using site = await newSite(rabbitmq);
    const lost = new Set<string>();
    site.proxy.before = ({ method, path }) => {
      if (method !== 'PUT' || lost.has(path)) return Promise.resolve(undefined);
      lost.add(path);
      return Promise.resolve('lose');
    };
    for (const done of await Promise.all([site.bootstrap(), site.bootstrap()])) isDone(done);
    assert.equal(lost.size, 3);
    assert.equal(await site.login(), 'open');
  });

  test('tries the next of several nodes if one is down', async () => {
    await using site = await newSite(rabbitmq);
    const urls = ['--rabbitmq-url', `http://127.0.0.1:${await freePort()}`, '--rabbitmq-url', rabbitmq.managementUrl!];
    isDone(await site.bootstrap(undefined, urls));
    assert.equal(await site.login(), 'open');
  });

  test('delete removes account and virtual host, but not while a client is connected, and no shared objects', async () => {
    await using site = await newSite(rabbitmq);
    isDone(await site.bootstrap());
    const { name } = site;
    const vhost = encodeURIComponent(`${name}/v`);
    const gone = new AbortController();
    assert.equal(await amqpLogin(rabbitmq.port, name, site.password, `${name}/v`, gone.signal), 'open');
    const connections = async () => (await site.ask('GET', `/vhosts/${vhost}/connections`))['length'];
    await until('the connection to be listed', async () => ((await connections()) === 1 ? true : undefined));
    const used = await site.delete(['--yes']);
    assert.equal(used.code, 69);
    assert.match(used.stderr, /is in use \(1 connections\)/);
    gone.abort();
    await until('the connection to be gone', async () => ((await connections()) === 0 ? true : undefined));

    const [other, all] = [`${name}-other`, { configure: '', write: '', read: '' }];
    await site.ask('PUT', `/users/${other}`, { password: 'hidden', tags: '' });
    await site.ask('PUT', `/permissions/${vhost}/${other}`, all);
    const shown = await site.delete();
    assert.deepEqual([shown.code, shown.stdout], [1, `- queue user ${name}\n`]);
    assert.match(shown.stderr, new RegExp(`virtual host ${name}/v is kept: ${other} has permissions there`));
    await site.ask('DELETE', `/users/${other}`);
    // RabbitMQ gave the admin permissions when it created the virtual host.
    const permissions = await site.ask('GET', `/vhosts/${vhost}/permissions`);
    assert.deepEqual((permissions as unknown as { user: string }[]).map(({ user }) => user).toSorted(), [
      'guest',
      name,
    ]);
    isDone(await site.delete(['--yes']));
    assert.equal(await site.login(), 'refused');
    assert.equal((await site.delete()).code, 0);
    const left = (await site.ask('GET', '/vhosts')) as unknown as { name: string }[];
    assert.ok(!left.some((one) => one.name === `${name}/v`), 'the virtual host is still there');
  });

  test('reports missing permissions: a wrong password, and an account without the tag', async () => {
    await using site = await newSite(rabbitmq);
    isDone(await site.bootstrap());
    const env = { KOLLA_BOOTSTRAP_TRANSPORT_URL: `rabbit://${site.name}:hidden@127.0.0.1/x` };
    const asking = (user: string, password: string) =>
      runHelper('kolla-bootstrap', ['nova', '--only', 'queue', '--rabbitmq-url', rabbitmq.managementUrl!], {
        env: { ...env, KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_USER: user, KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_PASSWORD: password },
      });
    const wrong = await asking('guest', 'hidden-wrong');
    assert.equal(wrong.code, 77);
    const words = rabbitmqVersion() === '3.10' ? 'Login failed' : 'Not_Authorized';
    assert.match(wrong.stderr, new RegExp(`rejects the login of user guest \\(401\\): ${words}: wrong password`));
    await site.ask('PUT', `/users/${site.name}`, { password: 'hidden', tags: 'management' });
    const tagless = await asking(site.name, 'hidden');
    assert.equal(tagless.code, 77);
    assert.match(tagless.stderr, /tag administrator/);
  });

  test("if another server uses the management API's port, the error at the deadline names it", async () => {
    await using site = await newSite(rabbitmq);
    // Long enough for one attempt on a busy machine.
    const words = ['--rabbitmq-url', `http://127.0.0.1:${rabbitmq.port}`, '--timeout', '20s'];
    const { code, stderr } = await site.bootstrap(undefined, words);
    assert.equal(code, 75);
    assert.match(stderr, /could not read .* within 20s; last state of RabbitMQ at .*does not speak HTTP/);
  });
});
