/** Upgrades of RabbitMQ as its chart checks and prepares them, on brokers of each version that Debian has. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Broker } from '../../src/provision/rabbitmq/broker.ts';
import { removeMirroring } from '../../src/provision/rabbitmq/upgrade/mirroring.ts';
import { canRunRabbitmq, startRabbitmq, type Rabbitmq } from '../cluster/rabbitmq.ts';
import { RABBITMQ_VERSIONS, type RabbitmqVersion } from '../cluster/server-versions.ts';
import { runHelper } from '../support/helper.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { privateDirectory } from '../../tools/directory.ts';
import type { Finished } from '../../tools/process.ts';

const skip = (await canRunRabbitmq()) ?? false;
const NODE = 'test@localhost';

/** A directory as in the image of a version. */
async function imageOf(t: TestContext, version: string): Promise<string> {
  const directory = await privateDirectory('rabbitmq-image');
  t.after(() => directory[Symbol.asyncDispose]());
  await mkdir(join(directory.path, `rabbitmq_server-${version}`));
  return directory.path;
}

async function prepare(t: TestContext, { managementUrl }: Rabbitmq, to: string, password = 'guest'): Promise<Finished> {
  const url = new URL(managementUrl!);
  const access = ['--rabbitmq-url', `http://localhost:${url.port}`, '--rabbitmq-admin-user', 'guest'];
  const env = { KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_PASSWORD: password };
  const words = ['rabbitmq-prepare', ...access, '--image', await imageOf(t, to), '--timeout', '10m'];
  return await runHelper('kolla-bootstrap', words, { env });
}

async function ask({ managementUrl }: Rabbitmq, path: string, method = 'GET', body?: object): Promise<unknown> {
  const reply = await fetch(`${managementUrl}/api${path}`, {
    method,
    headers: { authorization: `Basic ${btoa('guest:guest')}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  assert.ok(reply.ok, `${reply.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

async function disabledFlags(broker: Rabbitmq): Promise<string[]> {
  const flags = (await ask(broker, '/feature-flags')) as { name: string; state: string }[];
  return flags.filter(({ state }) => state !== 'enabled').map(({ name }) => name);
}

/** What a broker of this version leaves in its directory. */
function dataOf(broker: Rabbitmq): string[] {
  const home = broker.toolLine([], 'rabbitmqctl').env['HOME'] ?? '';
  return ['--data', join(home, 'mnesia'), '--node', NODE, '--version-file', join(home, 'version')];
}

for (const [from, to, way] of [
  ['3.10', '4.0.5', '3.10 -> 3.11 -> 3.12 -> 3.13 -> 4.0'],
  ['4.0', '4.3.6', '4.0 -> 4.2 -> 4.3'],
] as const satisfies readonly (readonly [RabbitmqVersion, string, string])[])
  test(
    `${from} -> ${to} is refused by the running node, and by its data, with the way; nothing is changed`,
    { skip },
    async (t) => {
      await using broker = await startRabbitmq({ management: true, version: from });
      const before = await disabledFlags(broker);
      const job = await prepare(t, broker, to);
      assert.equal(job.code, 65, job.stderr);
      assert.ok(job.stderr.includes(`nothing was changed, and ${NODE} runs on: RabbitMQ ${from}.`), job.stderr);
      assert.ok(job.stderr.includes(`upgrade in steps: ${way};`), job.stderr);
      assert.deepEqual(await disabledFlags(broker), before);
      const image = await imageOf(t, to);
      const pod = await runHelper('kolla-bootstrap', ['rabbitmq-check', ...dataOf(broker), '--image', image]);
      assert.equal(pod.code, 65, pod.stderr);
      assert.match(pod.stderr, new RegExp(`${NODE} is not started, and its data is unchanged: .*by feature flags in`));
      assert.ok(pod.stderr.includes(`upgrade in steps: ${way};`), pod.stderr);
      const own = await imageOf(t, RABBITMQ_VERSIONS[from].pin.replace(/-.*/, ''));
      const same = await runHelper('kolla-bootstrap', ['rabbitmq-check', ...dataOf(broker), '--image', own]);
      assert.equal(same.code, 0, same.stderr);
    },
  );

test('before a supported upgrade all stable feature flags are enabled, and Khepri from 4.0 on', { skip }, async (t) => {
  const featureFlags = ['message_containers_deaths_v2'];
  await using broker = await startRabbitmq({ management: true, version: '4.0', featureFlags });
  const before = await disabledFlags(broker);
  for (const flag of ['khepri_db', 'quorum_queue_non_voters', 'rabbitmq_4.0.0']) assert.ok(before.includes(flag), flag);
  const same = await prepare(t, broker, '4.0.9');
  assert.match(same.stderr, /nothing to prepare/);
  assert.deepEqual(await disabledFlags(broker), before);
  const done = await prepare(t, broker, '4.2.1');
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stderr, /1 nodes of RabbitMQ 4\.0\.5 are ready for 4\.2\.1/);
  assert.deepEqual(await disabledFlags(broker), []);
  // RabbitMQ enables Khepri permanently only once its data has been migrated.
  assert.match(await broker.control(['metadata_store_status'], 'rabbitmq-diagnostics'), /leader/);
  const again = await prepare(t, broker, '4.2.1');
  assert.equal(again.code, 0, again.stderr);
  assert.doesNotMatch(again.stderr, /enabled/);
});

test('a wrong password ends the Job with the reason, and is not shown', { skip }, async (t) => {
  await using broker = await startRabbitmq({ management: true, version: '4.3' });
  const { code, stderr } = await prepare(t, broker, '4.4.0', 'hidden');
  assert.equal(code, 77, stderr);
  assert.match(stderr, /rejects the login of user guest/);
  assert.doesNotMatch(stderr, /hidden/);
});

test('what policies say about mirrored queues is removed, and nothing else', { skip }, async () => {
  await using broker = await startRabbitmq({ management: true, version: '3.10' });
  const put = async (path: string, definition: object) =>
    await ask(broker, path, 'PUT', { pattern: '.*', definition, priority: 3, 'apply-to': 'queues' });
  await put('/policies/%2F/ha-all', { 'ha-mode': 'all', 'ha-promote-on-shutdown': 'always' });
  await put('/policies/%2F/both', { 'ha-mode': 'exactly', 'ha-params': 2, expires: 60_000 });
  await put('/policies/%2F/other', { 'max-length': 5 });
  const { log, said } = recordedLog();
  const effects = {
    signal: AbortSignal.timeout(600_000),
    deadline: AbortSignal.timeout(600_000),
    timeoutMs: 600_000,
    log,
  };
  const [urls, trust] = [[new URL(broker.managementUrl!)] as const, { insecure: false }];
  await removeMirroring(
    new Broker({ urls: [...urls], trust, adminUser: 'guest', adminPassword: 'guest' }, effects),
    log,
  );
  const left = (await ask(broker, '/policies')) as { name: string; definition: object; priority: number }[];
  const kept = new Map(left.map(({ name, definition, priority }) => [name, [definition, priority]]));
  assert.deepEqual(kept.get('both'), [{ expires: 60_000 }, 3]);
  assert.deepEqual(kept.get('other'), [{ 'max-length': 5 }, 3]);
  assert.equal(kept.size, 2);
  assert.equal(said().trim().split('\n').length, 2);
});
