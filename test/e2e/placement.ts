/**
 * k8s/examples/placement on the shared node, next to the running Keystone:
 *
 *   one Job -> database, schema, account, endpoints -> Placement's Pod -> Placement's reply to a token of that
 *   Keystone
 *
 * The node has no cluster DNS: the name of Keystone's Service is in each Pod's hosts file instead. The example is
 * otherwise unchanged.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { dump, loadAll } from 'js-yaml';
import { until } from '../support/until.ts';
import { ADMIN_PASSWORD, secret, type Stage } from './keystone-pod.ts';

const EXAMPLES = fileURLToPath(new URL('../../k8s/examples/placement/', import.meta.url));
const KEYSTONE = 'keystone.keystone.svc';
const URL_OF_PLACEMENT = 'http://placement.placement.svc:8780';

interface Workload {
  readonly kind: string;
  readonly spec: { readonly template: { readonly spec: object } };
}

interface Token {
  readonly id: string;
  /** Placement's endpoints in the token's catalog, by interface. */
  readonly placement: Readonly<Record<string, string>>;
}

/** @param stage called when a test runs; its Keystone is deployed in the namespace `keystone` */
export function placementTests(stage: () => Stage): void {
  const kubectl = (args: readonly string[], input?: string) =>
    stage().node.kubectl(['--namespace', 'placement', ...args], input);
  const apply = async (text: string) => void (await kubectl(['apply', '--filename=-'], text));
  const manifest = (name: string) => readFile(`${EXAMPLES}${name}.yaml`, 'utf8');
  let earlier: Token;

  test('one Job prepares Placement, then its Pod starts and accepts a token', async () => {
    const { mariadb } = stage();
    await apply(await manifest('namespace'));
    await apply(secret('database-admin', mariadb.rootPassword));
    await apply(secret('keystone-admin', ADMIN_PASSWORD));
    for (const name of ['rbac', 'config']) await apply(await manifest(name));
    for (const name of ['job', 'deployment']) await apply(await withKeystonesAddress(name));
    await jobComplete();
    await kubectl(['wait', '--for=condition=Available', 'deployment/placement', '--timeout=-1s']);
    const completed = await kubectl(['get', 'job/placement-bootstrap', '--output=jsonpath={.status.completionTime}']);
    const started = await kubectl([
      'get',
      'pods',
      '--selector=app=placement',
      '--output=jsonpath={.items[0].status.containerStatuses[0].state.running.startedAt}',
    ]);
    assert.ok(completed !== '' && completed < started, `Job complete ${completed}, container started ${started}`);
    earlier = await token();
    assert.deepEqual(earlier.placement, { public: URL_OF_PLACEMENT, internal: URL_OF_PLACEMENT });
    const name = crypto.randomUUID();
    await ready();
    const made = await ask('POST', earlier.id, { name });
    assert.equal(made.status, 200, await made.text());
    const { resource_providers: providers } = (await (await ask('GET', earlier.id)).json()) as {
      resource_providers: { name: string }[];
    };
    assert.deepEqual(
      providers.map((provider) => provider.name),
      [name],
    );
    assert.equal((await ask('GET', 'of nobody')).status, 401);
  });

  test('the Job of the next deployment changes nothing, and an older token stays valid', async () => {
    await kubectl(['delete', 'job/placement-bootstrap']);
    await apply(await withKeystonesAddress('job'));
    await jobComplete();
    const said = await kubectl(['logs', 'job/placement-bootstrap', '--all-containers']);
    assert.match(said, /up to date"/);
    assert.doesNotMatch(said, /changes? made/);
    assert.equal((await ask('GET', earlier.id)).status, 200);
  });

  /**
   * The Pod is Available when Placement answers; its readiness probe does not check whether it has reached Keystone.
   * Until it has, requests with a token get 503.
   */
  async function ready(): Promise<void> {
    let said = '';
    const reached = async () => {
      const answer = await ask('GET', earlier.id);
      said = `${answer.status} ${await answer.text()}`;
      return answer.status === 503 ? undefined : answer.status;
    };
    try {
      await until('Placement to reach Keystone', reached);
    } catch (cause) {
      throw new Error(`Placement still answers ${said}`, { cause });
    }
  }

  /** Resolves when the Job is complete; fails with its containers' logs. */
  async function jobComplete(): Promise<void> {
    try {
      await kubectl(['wait', '--for=condition=Complete', 'job/placement-bootstrap', '--timeout=-1s']);
    } catch (cause) {
      const said = await kubectl(['logs', 'job/placement-bootstrap', '--all-containers', '--tail=20']).catch(String);
      throw new Error(`the Job logged ${said}`, { cause });
    }
  }

  async function withKeystonesAddress(name: string): Promise<string> {
    const hostAliases = [{ ip: await addressOf('keystone'), hostnames: [KEYSTONE] }];
    const items = (loadAll(await manifest(name)) as Workload[]).map((item) => {
      if (item.kind === 'Service') return item;
      const { template } = item.spec;
      return { ...item, spec: { ...item.spec, template: { ...template, spec: { ...template.spec, hostAliases } } } };
    });
    return items.map((item) => dump(item)).join('---\n');
  }

  /** The cluster IP of a Service in the namespace of the same name. */
  async function addressOf(name: string): Promise<string> {
    const words = ['get', `service/${name}`, '--output=jsonpath={.spec.clusterIP}'];
    return (await stage().node.kubectl(['--namespace', name, ...words])).trim();
  }

  async function token(): Promise<Token> {
    const port = await stage().node.reach(5000, await addressOf('keystone'));
    const user = { name: 'admin', domain: { id: 'default' }, password: ADMIN_PASSWORD };
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    const reply = await fetch(`http://127.0.0.1:${port}/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ auth: { identity: { methods: ['password'], password: { user } }, scope } }),
    });
    const { token: content } = (await reply.json()) as {
      token: { catalog: { type: string; endpoints: { interface: string; url: string }[] }[] };
    };
    const endpoints = content.catalog.find(({ type }) => type === 'placement')?.endpoints ?? [];
    return {
      id: reply.headers.get('x-subject-token') ?? '',
      placement: Object.fromEntries(endpoints.map((endpoint) => [endpoint.interface, endpoint.url])),
    };
  }

  async function ask(method: 'GET' | 'POST', id: string, body?: object): Promise<Response> {
    const port = await stage().node.reach(8780, await addressOf('placement'));
    return await fetch(`http://127.0.0.1:${port}/resource_providers`, {
      method,
      headers: {
        'content-type': 'application/json',
        connection: 'close',
        'openstack-api-version': 'placement 1.20',
        'x-auth-token': id,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  }
}
