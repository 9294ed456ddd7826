import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canRunHelm, helm } from '../../../tools/helm.ts';
import { canRunControlPlane, endPodsOf } from '../../cluster/kubernetes/index.ts';
import { until } from '../../support/until.ts';
import { namespaceName, sharedControlPlane, type SharedControlPlane } from '../../servers/index.ts';
import { GLOBALS, rendering, type KubeObject, type Rendering } from '../support.ts';

const NAMESPACES = ['there-and-back', 'again', 'away', 'before'] as const;
const [THERE_AND_BACK, AGAIN, AWAY, BEFORE] = NAMESPACES.map((name) => namespaceName(name)) as [
  string,
  string,
  string,
  string,
];
const reason = (await canRunHelm()) ?? (await canRunControlPlane());

describe('a release over its revisions, on a real API server', { skip: reason ?? false, concurrency: 1 }, () => {
  let cluster: SharedControlPlane;
  let chart: Rendering;
  before(async () => {
    cluster = await sharedControlPlane();
    for (const name of [THERE_AND_BACK, AGAIN, AWAY, BEFORE]) await cluster.createNamespace(name);
    chart = await rendering('keystone');
  });
  after(async () => {
    await chart?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const VERSIONED = 'jobs,configmaps,secrets,roles,rolebindings';

  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await helm(chart.directory, args, cluster.kubeconfig);
    assert.equal(code, 0, `helm ${args.join(' ')}: ${stdout}${stderr}`);
  };
  const install = async (namespace: string, values: object) => {
    const file = join(chart.directory, 'release.json');
    await writeFile(file, JSON.stringify({ ...values, global: GLOBALS }));
    const where = [`--namespace=${namespace}`, `--values=${file}`];
    await run('upgrade', '--install', 'keystone', chart.chart, ...where);
  };
  /** Ends the Pod of a Job that runs before the upgrade to a revision, and returns the workload as it is then. */
  const endHook = async (namespace: string, name: string, revision: number, phase: 'Succeeded' | 'Failed') => {
    const job = await until(`the Job ${name} of revision ${revision}`, async () =>
      [...(await objects(namespace, 'jobs')).values()].find(({ metadata }) =>
        new RegExp(`^keystone-${name}-\\w+-r${revision}$`).test(metadata.name),
      ),
    );
    const [deployment] = (await objects(namespace, 'deployments')).values();
    await endPodsOf(cluster, namespace, job.metadata.name, phase);
    return deployment?.['spec'].template.spec.containers[0].image as string;
  };
  const objects = async (namespace: string, kinds: string): Promise<Map<string, KubeObject>> => {
    const { items } = JSON.parse(
      await cluster.kubectl([
        'get',
        kinds,
        `--namespace=${namespace}`,
        '--selector=app.kubernetes.io/name=keystone',
        '-o',
        'json',
      ]),
    ) as { items: KubeObject[] };
    return new Map(items.map((object) => [`${object.kind}/${object.metadata.name}`, object]));
  };
  test('an upgrade keeps the Job and the configuration that old Pods need, and a rollback uses them', async () => {
    await install(THERE_AND_BACK, {});
    const jobs = [...(await objects(THERE_AND_BACK, 'jobs')).keys()];
    const job = jobs.find((name) => name.includes('bootstrap')) ?? '';
    await endPodsOf(cluster, THERE_AND_BACK, job.replace('Job/', ''), 'Succeeded');
    await cluster.kubectl(['wait', '--for=condition=Complete', job, `--namespace=${THERE_AND_BACK}`, '--timeout=-1s']);
    const first = await objects(THERE_AND_BACK, VERSIONED);
    assert.notEqual(first.size, 0);
    await Promise.all([
      install(THERE_AND_BACK, { settings: { extra: { token: { expiration: 7200 } } } }),
      endHook(THERE_AND_BACK, 'bootstrap', 2, 'Succeeded'),
    ]);
    const second = await objects(THERE_AND_BACK, VERSIONED);
    for (const [name, { metadata }] of first)
      assert.equal(second.get(name)?.metadata['uid' as 'name'], metadata['uid' as 'name'], name);
    assert.equal([...second.keys()].filter((name) => name.startsWith('Job/keystone-bootstrap-')).length, 2);
    await run('rollback', 'keystone', '1', `--namespace=${THERE_AND_BACK}`);
    const third = await objects(THERE_AND_BACK, VERSIONED);
    for (const [name, { metadata }] of second)
      assert.equal(third.get(name)?.metadata['uid' as 'name'], metadata['uid' as 'name'], name);
    assert.equal(third.get(job)?.['status'].succeeded, 1);
    const [deployment] = (await objects(THERE_AND_BACK, 'deployments')).values();
    const volumes = JSON.stringify(deployment?.['spec'].template.spec.volumes);
    const secret = [...first.keys()].find((name) => name.startsWith('Secret/keystone-keystone-conf-'));
    assert.ok(secret !== undefined && volumes.includes(secret.replace('Secret/', '')), volumes);
  });

  test('values of a check alone are refused for a release, which they would replace', async () => {
    const file = join(chart.directory, 'check.json');
    await writeFile(file, JSON.stringify({ global: GLOBALS, upgrade: { check: true } }));
    const where = [`--namespace=${THERE_AND_BACK}`, `--values=${file}`];
    const deployments = [...(await objects(THERE_AND_BACK, 'deployments')).keys()];
    const { code, stderr } = await helm(
      chart.directory,
      ['upgrade', 'keystone', chart.chart, ...where],
      cluster.kubeconfig,
    );
    assert.notEqual(code, 0);
    assert.match(stderr, /keystone: upgrade\.check: true would replace the whole release by one Job; take it out/);
    assert.deepEqual([...(await objects(THERE_AND_BACK, 'deployments')).keys()], deployments);
    assert.notEqual(deployments.length, 0);
  });

  test('an upgrade changes its workload when expand and migrate are complete, and not if one fails', async () => {
    const to = (tag: string) => ({ image: { tag }, upgrade: { stepwise: true }, jobs: { backoffLimit: 0 } });
    const imageOf = async () => {
      const [deployment] = (await objects(BEFORE, 'deployments')).values();
      return deployment?.['spec'].template.spec.containers[0].image as string;
    };
    await install(BEFORE, to('2025.1'));
    const upgrade = install(BEFORE, to('2026.1'));
    for (const name of ['bootstrap', 'db-migrate'])
      assert.equal(await endHook(BEFORE, name, 2, 'Succeeded'), 'kolla/keystone:2025.1', name);
    await upgrade;
    assert.equal(await imageOf(), 'kolla/keystone:2026.1');
    const left = [...(await objects(BEFORE, `${VERSIONED},serviceaccounts`)).keys()];
    assert.deepEqual(
      left.filter((name) => name.endsWith('-r2')),
      [],
    );

    const failing = install(BEFORE, to('2026.2')).then(
      () => 'succeeded',
      (error: Error) => error.message,
    );
    assert.equal(await endHook(BEFORE, 'bootstrap', 3, 'Failed'), 'kolla/keystone:2026.1');
    assert.match(await failing, /pre-upgrade hooks failed.*keystone-bootstrap-\w+-r3/s);
    assert.equal(await imageOf(), 'kolla/keystone:2026.1');
    const again = install(BEFORE, to('2026.2'));
    for (const name of ['bootstrap', 'db-migrate']) await endHook(BEFORE, name, 4, 'Succeeded');
    await again;
    assert.equal(await imageOf(), 'kolla/keystone:2026.2');
    assert.ok(
      [...(await objects(BEFORE, 'jobs')).keys()].some((name) => name.endsWith('-r3')),
      'for its log',
    );
  });

  test('a reinstallation after an uninstall reuses the kept objects', async () => {
    await install(AGAIN, {});
    const first = await objects(AGAIN, VERSIONED);
    assert.notEqual(first.size, 0);
    await run('uninstall', 'keystone', `--namespace=${AGAIN}`);
    assert.deepEqual([...(await objects(AGAIN, VERSIONED)).keys()].toSorted(), [...first.keys()].toSorted());
    assert.equal((await objects(AGAIN, 'deployments,services')).size, 0);
    await install(AGAIN, {});
    assert.equal((await objects(AGAIN, 'deployments')).size, 1);
  });

  test("the README's command removes everything", async () => {
    await install(AWAY, {});
    await run('uninstall', 'keystone', `--namespace=${AWAY}`);
    assert.notEqual((await objects(AWAY, VERSIONED)).size, 0);
    const selector = '--selector=app.kubernetes.io/instance=keystone,kolla-pod/versioned=true';
    await cluster.kubectl([
      'delete',
      'job,configmap,secret,role,rolebinding',
      `--namespace=${AWAY}`,
      selector,
      '--cascade=background',
    ]);
    assert.deepEqual([...(await objects(AWAY, VERSIONED)).keys()], []);
  });
});
