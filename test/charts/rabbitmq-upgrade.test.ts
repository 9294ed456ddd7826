import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canRunHelm } from '../../tools/helm.ts';
import { mainOf, podOf } from './service-charts.ts';
import { rendering, type KubeObject, type Rendered } from './support.ts';

const skip = (await canRunHelm()) ?? false;

const isHook = ({ metadata }: KubeObject) => metadata.annotations?.['helm.sh/hook'] === 'pre-upgrade';

async function rendered(values: object = {}, args: readonly string[] = ['--is-upgrade']): Promise<Rendered> {
  await using chart = await rendering('rabbitmq');
  return await chart.render(values, args);
}

function jobsOf({ all }: Rendered): KubeObject[] {
  return all.filter((object) => object.kind === 'Job' && isHook(object));
}

function variablesOf(job: KubeObject): Record<string, unknown> {
  const env = (mainOf(job).env ?? []) as { name: string; value?: string; valueFrom?: object }[];
  return Object.fromEntries(env.map(({ name, value, valueFrom }) => [name, value ?? valueFrom]));
}

function initContainersOf(from: Rendered) {
  const { initContainers } = podOf(from.one('StatefulSet', 'rabbitmq')) as unknown as {
    initContainers: { name: string; image: string; command: string[]; volumeMounts: Record<string, unknown>[] }[];
  };
  return initContainers;
}

describe('an upgrade of RabbitMQ', { skip, concurrency: 2 }, () => {
  test('is prepared by one Job of the new image, which asks the nodes by their names', async () => {
    const [job, ...others] = jobsOf(await rendered({ workloads: { rabbitmq: { replicas: 3 } } }));
    assert.ok(job !== undefined && others.length === 0);
    assert.deepEqual(mainOf(job).command, ['kolla-bootstrap', 'rabbitmq-prepare']);
    assert.equal((mainOf(job) as unknown as { image: string }).image, 'kolla/rabbitmq:2025.2');
    const urls = [0, 1, 2].map((i) => `http://rabbitmq-${i}.rabbitmq-nodes.openstack.svc.cluster.local:15672`);
    assert.equal(variablesOf(job)['KOLLA_BOOTSTRAP_RABBITMQ_URL'], urls.join(','));
    assert.equal(job['spec'].template.metadata.labels['kolla-pod/uses-rabbitmq-management'], 'true');
    assert.deepEqual([job['spec'].backoffLimit, job['spec'].ttlSecondsAfterFinished], [0, 86_400]);
    assert.equal(job.metadata.annotations?.['kolla-pod/migration'], undefined);
  });

  test('asks the nodes by their names where null leaves these to the library', async () => {
    const [job] = jobsOf(await rendered({ workloads: { rabbitmq: { name: null, replicas: null } } }));
    const url = 'http://rabbitmq-rabbitmq-0.rabbitmq-nodes.openstack.svc.cluster.local:15672';
    assert.equal(variablesOf(job!)['KOLLA_BOOTSTRAP_RABBITMQ_URL'], url);
  });

  test('finds copies of the Secrets and ConfigMaps of its Job', async () => {
    const from = await rendered();
    const [job] = jobsOf(from);
    const { secretKeyRef } = variablesOf(job!)['KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_PASSWORD'] as {
      secretKeyRef: { name: string; key: string };
    };
    const names = [...JSON.stringify(podOf(job!)).matchAll(/"name":"(rabbitmq-[a-z-]+-[0-9a-f]{10}[^"]*)"/g)];
    const needed = [...names.map(([, name = '']) => name), secretKeyRef.name];
    assert.ok(needed.length > 4);
    const hooks = new Set(from.all.filter(isHook).map(({ metadata }) => metadata.name));
    for (const name of needed) assert.ok(name.endsWith('-r1') && hooks.has(name), name);
    const secret = from.all.find(({ metadata }) => metadata.name === secretKeyRef.name);
    assert.equal(Buffer.from(secret?.['data'][secretKeyRef.key], 'base64').toString(), 'of-rabbitmq-password');
  });

  test('has no Job on install, without Pods, or if it is left out', async () => {
    for (const [values, args] of [
      [{}, []],
      [{ workloads: { rabbitmq: { replicas: 0 } } }, ['--is-upgrade']],
      [{ upgrade: { prepare: { command: [] } } }, ['--is-upgrade']],
    ] as const)
      assert.deepEqual((await rendered(values, args)).all.filter(isHook), []);
  });

  test('is checked in each Pod by the new image, before anything is written', async () => {
    const [check, next] = initContainersOf(await rendered());
    assert.deepEqual([check?.name, next?.name], ['start-check', 'kolla-init']);
    assert.deepEqual(check?.command.slice(0, 2), ['kolla-bootstrap', 'rabbitmq-check']);
    assert.equal(check?.image, next?.image);
    assert.deepEqual(check?.volumeMounts, [{ name: 'data', mountPath: '/var/lib/rabbitmq', readOnly: true }]);
    const kollaPod = { delivery: 'copied', image: { reference: 'kolla/pod:1' } };
    const copied = initContainersOf(await rendered({ global: { kollaPod } }));
    assert.deepEqual(
      copied.slice(0, 3).map(({ name }) => name),
      ['kolla-pod', 'start-check', 'kolla-init'],
    );
    assert.equal(copied[1]?.command[0], '/opt/kolla-pod/bin/kolla-bootstrap');
    assert.ok(copied[1]?.volumeMounts.some(({ mountPath }) => mountPath === '/opt/kolla-pod'));
  });

  test('records the version of a node that has started where the check reads it, with TLS too', async () => {
    const file = '/var/lib/rabbitmq/version';
    for (const [values, startup] of [
      [{}, 'rabbitmq 127.0.0.1'],
      [{ global: { tls: { enabled: true } } }, 'rabbitmq amqps://127.0.0.1:5672 --ca-file /etc/kolla-tls/ca/ca.crt'],
    ] as const) {
      const from = await rendered(values, []);
      const checks = from.one('ConfigMap', 'rabbitmq-kolla-pod')['data']['kolla-pod.yaml'] as string;
      assert.ok(checks.replaceAll(/\s+/g, ' ').includes(`run: ${startup} --version-file ${file}`), checks);
      assert.deepEqual(initContainersOf(from)[0]?.command.slice(2), ['--version-file', file]);
    }
  });

  test('asks over TLS with the CA bundle', async () => {
    const [job] = jobsOf(await rendered({ global: { tls: { enabled: true } } }));
    const variables = variablesOf(job!);
    assert.match(String(variables['KOLLA_BOOTSTRAP_RABBITMQ_URL']), /^https:\/\/rabbitmq-0\.rabbitmq-nodes\./);
    assert.equal(variables['KOLLA_BOOTSTRAP_CA_FILE'], '/etc/kolla-tls/ca/ca.crt');
    assert.match(JSON.stringify(podOf(job!)), /"mountPath":"\/etc\/kolla-tls\/ca"/);
  });
});
