import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { prepareUpgrade } from '../../../src/provision/rabbitmq/upgrade/prepare.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { freePort } from '../../../tools/port.ts';
import { recordedLog } from '../../support/recorded-log.ts';

interface Cluster {
  readonly url: string;
  /** Changes that were requested, by the node's address. */
  readonly changes: readonly string[];
}

/** Nodes rabbit@127.0.0.1, .2 ... with the management API of each at its own address. Without a version a node is down. */
async function cluster(t: TestContext, versions: readonly (string | undefined)[]): Promise<Cluster> {
  const port = await freePort();
  const [changes, enabled] = [[] as string[], new Set<string>()];
  const addresses = versions.map((_, index) => `127.0.0.${index + 1}`);
  for (const [index, version] of versions.entries()) {
    if (version === undefined) continue;
    const address = addresses[index]!;
    const bodies: Readonly<Record<string, () => unknown>> = {
      '/api/overview': () => ({ rabbitmq_version: version }),
      '/api/nodes': () => versions.map((one, i) => ({ name: `rabbit@${addresses[i]!}`, running: one !== undefined })),
      '/api/feature-flags': () =>
        [
          ['old', 'required', true],
          ['rabbitmq_4.0.0', 'stable', false],
          ['khepri_db', 'experimental', false],
          ['risky', 'experimental', false],
        ].map(([name, stability, isOn]) => ({
          name,
          stability,
          state: isOn === true || enabled.has(String(name)) ? 'enabled' : 'disabled',
        })),
      '/api/policies': () => [],
      '/api/operator-policies': () => [],
    };
    const server = createServer((request, response) => {
      const path = request.url ?? '';
      request.resume();
      if (request.method === 'GET') {
        response.setHeader('content-type', 'application/json').end(JSON.stringify(bodies[path]?.() ?? {}));
        return;
      }
      changes.push(`${request.method} ${path}`);
      enabled.add(/feature-flags\/([^/]+)\/enable/.exec(path)?.[1] ?? '');
      response.writeHead(204).end();
    });
    server.listen(port, address);
    await once(server, 'listening');
    t.after(() => server.close());
  }
  const first = addresses[versions.findIndex((version) => version !== undefined)] ?? '';
  return { url: `http://${first}:${port}`, changes };
}

async function prepare(t: TestContext, { url }: Cluster, to: string): Promise<string> {
  const directory = await privateDirectory('image');
  t.after(() => directory[Symbol.asyncDispose]());
  await mkdir(join(directory.path, `rabbitmq_server-${to}`));
  const { log, said } = recordedLog();
  const access = { rabbitmqUrl: [url], rabbitmqAdminUser: 'openstack', rabbitmqAdminPassword: 'hidden' };
  const rest = { rabbitmqAdminPasswordFile: undefined, tls: undefined, caFile: undefined };
  await prepareUpgrade(
    { ...access, ...rest, image: directory.path, timeout: 600_000 },
    { signal: new AbortController().signal, log },
  );
  return said();
}

const FLAGS = ['PUT /api/feature-flags/rabbitmq_4.0.0/enable', 'PUT /api/feature-flags/khepri_db/enable'];

test('with three nodes of one version, feature flags are enabled once, without experiments', async (t) => {
  const nodes = await cluster(t, ['4.0.5', '4.0.5', '4.0.5']);
  assert.match(await prepare(t, nodes, '4.2.1'), /3 nodes of RabbitMQ 4\.0\.5 are ready for 4\.2\.1/);
  assert.deepEqual(nodes.changes, FLAGS);
});

test('Khepri is not enabled on 3.13', async (t) => {
  const nodes = await cluster(t, ['3.13.7']);
  await prepare(t, nodes, '4.0.5');
  assert.deepEqual(nodes.changes, FLAGS.slice(0, 1));
});

test('an interrupted upgrade goes on, and a cluster of this series may be repaired, without a change', async (t) => {
  for (const versions of [
    ['4.2.1', '4.0.5', '4.0.5'],
    ['4.2.1', undefined, '4.2.1'],
    ['4.2.0', '4.2.0'],
  ]) {
    const nodes = await cluster(t, versions);
    assert.match(await prepare(t, nodes, '4.2.1'), /nothing to prepare/);
    assert.deepEqual(nodes.changes, []);
  }
});

for (const [title, versions, to, name, said] of [
  [
    'a node that is down',
    ['4.0.5', undefined, '4.0.5'],
    '4.2.1',
    'UnavailableError',
    /rabbit@127\.0\.0\.2 does not run/,
  ],
  [
    'an incomplete upgrade',
    ['4.0.5', '4.1.0', '4.0.5'],
    '4.2.1',
    'UnavailableError',
    /nodes run 4\.0 and 4\.1: complete/,
  ],
  [
    'one node that is too old',
    ['4.2.1', '4.2.1', '4.0.5'],
    '4.3.6',
    'ConfigError',
    /4\.0\.5 -> 4\.3\.6: .*4\.0 -> 4\.2 -> 4\.3/,
  ],
  ['an older image', ['4.3.6', '4.3.6'], '4.2.1', 'ConfigError', /no way back/],
] as const)
  test(`${title} is reported, and nothing is changed`, async (t) => {
    const nodes = await cluster(t, versions);
    await assert.rejects(prepare(t, nodes, to), (error: Error) => {
      assert.equal(error.name, name);
      assert.match(error.message, said);
      return true;
    });
    assert.deepEqual(nodes.changes, []);
  });
