import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canRunHelm, helm } from '../../../tools/helm.ts';
import { canRunControlPlane, endPodsOf } from '../../cluster/kubernetes/index.ts';
import { namespaceName, sharedControlPlane, type SharedControlPlane } from '../../servers/index.ts';
import { PASSWORDS, rendering, type KubeObject, type Rendering } from '../support.ts';

const [THERE_AND_BACK, AGAIN, AWAY] = [namespaceName('there-and-back'), namespaceName('again'), namespaceName('away')];
const reason = (await canRunHelm()) ?? (await canRunControlPlane());

describe('a release over its revisions, on a real API server', { skip: reason ?? false, concurrency: 1 }, () => {
  let cluster: SharedControlPlane;
  let chart: Rendering;
  before(async () => {
    cluster = await sharedControlPlane();
    for (const name of [THERE_AND_BACK, AGAIN, AWAY]) await cluster.createNamespace(name);
    chart = await rendering('keystone');
  });
  after(async () => {
    await chart?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await helm(chart.directory, args, cluster.kubeconfig);
    assert.equal(code, 0, `helm ${args.join(' ')}: ${stdout}${stderr}`);
  };
  const install = async (namespace: string, values: object) => {
    const file = join(chart.directory, 'release.json');
    await writeFile(file, JSON.stringify({ ...values, global: { passwords: PASSWORDS } }));
    const where = [`--namespace=${namespace}`, `--values=${file}`];
    await run('upgrade', '--install', 'keystone', chart.chart, ...where);
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
  const VERSIONED = 'jobs,configmaps,secrets,roles,rolebindings';

  test('an upgrade keeps the Job and the configuration that old Pods need, and a rollback uses them', async () => {
    await install(THERE_AND_BACK, {});
    const jobs = [...(await objects(THERE_AND_BACK, 'jobs')).keys()];
    const job = jobs.find((name) => name.includes('bootstrap')) ?? '';
    await endPodsOf(cluster, THERE_AND_BACK, job.replace('Job/', ''), 'Succeeded');
    await cluster.kubectl(['wait', '--for=condition=Complete', job, `--namespace=${THERE_AND_BACK}`, '--timeout=-1s']);
    const first = await objects(THERE_AND_BACK, VERSIONED);
    assert.notEqual(first.size, 0);
    await install(THERE_AND_BACK, { settings: { extra: { token: { expiration: 7200 } } } });
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
