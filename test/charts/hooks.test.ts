import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canRunHelm } from '../../tools/helm.ts';
import { mainOf, podOf, waitsOf, wordsAfter } from './service-charts.ts';
import { rendering, type KubeObject, type Rendered } from './support.ts';

const skip = (await canRunHelm()) ?? false;
const UPGRADE = ['--is-upgrade'];
const STEPWISE = { upgrade: { stepwise: true } };

async function upgraded(chart: string, values: object = {}, args: readonly string[] = UPGRADE): Promise<Rendered> {
  await using helm = await rendering(chart);
  return await helm.render(values, args);
}

function annotationOf({ metadata }: KubeObject, name: string): string | undefined {
  return metadata.annotations?.[`helm.sh/${name}`];
}

/** The hooks in the order in which Helm runs them: by weight. */
function hooksOf({ all }: Rendered): KubeObject[] {
  const weight = (object: KubeObject) => Number(annotationOf(object, 'hook-weight'));
  return all.filter((object) => annotationOf(object, 'hook') !== undefined).toSorted((a, b) => weight(a) - weight(b));
}

function jobsAt(rendered: Rendered, event: string): KubeObject[] {
  return jobsOf(rendered).filter((job) => annotationOf(job, 'hook') === event);
}

function jobsOf(rendered: Rendered): KubeObject[] {
  return hooksOf(rendered).filter(({ kind }) => kind === 'Job');
}

/** Names of the objects that a Job's Pod needs, without those of users and of Kubernetes. */
function neededBy(job: KubeObject): string[] {
  const text = JSON.stringify(podOf(job));
  const found = [
    ...text.matchAll(/"(?:configMap|secret|secretKeyRef)":\{[^{}[\]]*(?:\[[^\]]*\])?[^{}]*"name":"([^"]+)"/g),
  ];
  return [
    ...found.map(([, name = '']) => name).filter((name) => name !== 'kube-root-ca.crt'),
    (podOf(job) as unknown as { serviceAccountName: string }).serviceAccountName,
  ];
}

describe('before an upgrade changes any object', { skip, concurrency: 2 }, () => {
  test('the Jobs up to the rollout run, in their order', async () => {
    const jobs = jobsOf(await upgraded('keystone', STEPWISE));
    assert.deepEqual(
      jobs.map(({ metadata }) => metadata.name.replace(/[0-9a-f]{10}/, 'HASH')),
      ['keystone-bootstrap-HASH-r1', 'keystone-db-migrate-HASH-r1'],
    );
    const phases = jobs.map((job) => wordsAfter(mainOf(job).command, '--phase')[0]);
    assert.deepEqual(phases, ['expand', 'migrate']);
    assert.ok(waitsOf(jobs[1]!)[0]?.startsWith(`job/${jobs[0]!.metadata.name}?`));
    assert.deepEqual(
      jobsOf(await upgraded('keystone')).map((job) => wordsAfter(mainOf(job).command, '--phase')),
      [[]],
    );
  });

  for (const [chart, values] of [
    ['keystone', STEPWISE],
    ['cinder', { config: { reload: 'live' } }],
    ['nova-cell', { config: { bundle: 'service' } }],
    ['nova-compute', {}],
  ] as const)
    test(`${chart}: each Job has copies of what it mounts and of its account, created before it`, async () => {
      const rendered = await upgraded(chart, values);
      const hooks = hooksOf(rendered);
      const jobs = jobsOf(rendered);
      assert.notEqual(jobs.length, 0);
      for (const job of jobs) {
        const before = new Set(hooks.slice(0, hooks.indexOf(job)).map(({ metadata }) => metadata.name));
        const needed = neededBy(job);
        assert.ok(needed.length > 1, needed.join(' '));
        for (const name of needed) assert.ok(before.has(name) && name.endsWith('-r1'), `${job.metadata.name}: ${name}`);
      }
      const binding = hooks.find(({ kind }) => kind === 'RoleBinding');
      const role = hooks.find(({ kind, metadata }) => kind === 'Role' && metadata.name === binding?.['roleRef'].name);
      assert.ok(role);
      assert.ok(jobs.flatMap(neededBy).includes(binding?.['subjects'][0].name));
    });

  test('the copies differ from the originals by name and annotations only', async () => {
    const rendered = await upgraded('keystone', STEPWISE);
    const own = new Map(rendered.all.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
    for (const hook of hooksOf(rendered)) {
      const original = own.get(`${hook.kind} ${hook.metadata.name.replace(/-r1$/, '')}`);
      assert.ok(original, hook.metadata.name);
      const { metadata: _, ...copied } = JSON.parse(JSON.stringify(hook).replaceAll(/-r1(?=["?])/g, '')) as KubeObject;
      const { metadata: __, ...originals } = original;
      assert.deepEqual(copied, originals);
    }
  });

  test("a repeated upgrade deletes neither the migrator of a failed upgrade nor the migrator's files; success deletes all", async () => {
    const hooks = hooksOf(await upgraded('keystone', STEPWISE));
    assert.notEqual(hooks.length, 0);
    for (const hook of hooks) {
      assert.equal(annotationOf(hook, 'hook'), 'pre-upgrade');
      assert.equal(annotationOf(hook, 'hook-delete-policy'), 'hook-succeeded');
      assert.equal(annotationOf(hook, 'resource-policy'), undefined);
      assert.equal(hook.metadata.labels['kolla-pod/versioned'], 'true', 'for the command that removes what is kept');
    }
  });

  test("the release's own objects are those of an installation, which has no hook", async () => {
    const installed = await upgraded('keystone', STEPWISE, []);
    assert.deepEqual(hooksOf(installed), []);
    const { all } = await upgraded('keystone', STEPWISE);
    const own = all.filter((object) => annotationOf(object, 'hook') === undefined);
    assert.deepEqual(own, installed.all);
  });

  test('a chart without Jobs and needs has no hook', async () => {
    for (const chart of ['mariadb', 'horizon']) assert.deepEqual(hooksOf(await upgraded(chart)), [], chart);
    assert.deepEqual(hooksOf(await upgraded('keystone', { bootstrap: { enabled: false } })), []);
  });

  test("with user-defined Roles the Jobs run as the release's account, to which those Roles are bound", async () => {
    const rendered = await upgraded('keystone', { rbac: { create: false } });
    assert.deepEqual([...new Set(hooksOf(rendered).map(({ kind }) => kind))].toSorted(), [
      'ConfigMap',
      'Job',
      'Secret',
    ]);
    assert.ok(neededBy(jobsOf(rendered)[0]!).includes('keystone-bootstrap'));
    // Also in a chart whose only Jobs are those of an upgrade.
    for (const chart of ['keystone', 'nova-compute', 'rabbitmq']) {
      const own = await upgraded(chart, { rbac: { create: false } });
      const accounts = own.of('ServiceAccount').map(({ metadata }) => metadata.name);
      assert.notEqual(jobsOf(own).length, 0, chart);
      for (const job of jobsOf(own)) {
        const { serviceAccountName } = job['spec'].template.spec as { serviceAccountName: string };
        assert.ok(['default', ...accounts].includes(serviceAccountName), `${chart}: ${serviceAccountName}`);
      }
    }
  });

  test('upgrade.needs are awaited first, with a Role for them', async () => {
    const wait = 'pod?label=a=b';
    const rendered = await upgraded('keystone', { upgrade: { needs: [wait, '{{ "" }}'] } });
    const [first, second] = jobsOf(rendered);
    assert.match(first?.metadata.name ?? '', /^keystone-upgrade-/);
    assert.deepEqual(waitsOf(first!), [wait]);
    assert.ok(Number(annotationOf(second!, 'hook-weight')) > Number(annotationOf(first!, 'hook-weight')));
    const role = hooksOf(rendered).find(({ kind }) => kind === 'Role');
    assert.ok(
      role?.['rules'].some(
        ({ resources, verbs }: { resources: string[]; verbs: string[] }) =>
          resources.includes('pods') && verbs.includes('list'),
      ),
    );
  });

  test('with nova-compute, what negotiates versions with computes is restarted at the end of a stepwise upgrade', async () => {
    assert.deepEqual(jobsAt(await upgraded('nova-compute'), 'post-upgrade'), []);
    const restart = { workloads: ['deployment/a@b', 'deployment/c'] };
    const values = { upgrade: { stepwise: true, restart } };
    for (const [given, words] of [
      [STEPWISE, ['deployment/nova-cell-conductor', 'deployment/nova-scheduler', 'deployment/nova-api']],
      [values, ['deployment/a@b', 'deployment/c']],
    ] as const) {
      const rendered = await upgraded('nova-compute', given);
      const [job] = jobsAt(rendered, 'post-upgrade');
      assert.deepEqual(mainOf(job!).command?.slice(1), ['restart', ...words]);
      assert.match(mainOf(job!).command?.[0] ?? '', /kolla-init$/);
      assert.match(waitsOf(job!)[0] ?? '', /^!pod\?.*component=compute.*version!=/);
    }
    const roles = hooksOf(await upgraded('nova-compute', values)).filter(({ kind }) => kind === 'Role');
    const patched = roles.flatMap(({ metadata, rules }) =>
      (rules as { resourceNames?: string[]; verbs: string[] }[])
        .filter(({ verbs }) => verbs.includes('patch'))
        .map(({ resourceNames, verbs }) => [metadata.namespace, ...(resourceNames ?? []), ...verbs].join(' ')),
    );
    assert.deepEqual(patched.toSorted(), ['b a patch', 'openstack c patch']);
  });
});

describe('with upgrade.check', { skip, concurrency: 2 }, () => {
  for (const [chart, values] of [
    ['keystone', {}],
    ['neutron', { config: { reload: 'live' } }],
    ['nova', { config: { bundle: 'service' }, bootstrap: { enabled: false } }],
  ] as const)
    test(`${chart} has only a Job that runs it, without an account, and copies of what it mounts`, async () => {
      const { all } = await upgraded(chart, { ...values, upgrade: { check: true } });
      assert.deepEqual([...new Set(all.map(({ kind }) => kind))].toSorted(), ['ConfigMap', 'Job', 'Secret']);
      const names = all.map(({ metadata }) => metadata.name);
      assert.ok(names.every((name) => name.endsWith('-check')));
      const [job, ...others] = all.filter(({ kind }) => kind === 'Job');
      assert.ok(job !== undefined && others.length === 0);
      assert.equal(job.metadata.annotations?.['kolla-pod/upgrade-check'], 'true');
      assert.deepEqual(mainOf(job).command?.slice(-2), ['upgrade-check', chart]);
      assert.deepEqual([job['spec'].backoffLimit, job['spec'].ttlSecondsAfterFinished], [0, 600]);
      assert.doesNotMatch(JSON.stringify(podOf(job)), /serviceAccountToken|--wait/);
      const [account, ...mounted] = neededBy(job).toReversed();
      assert.equal(account, 'default');
      assert.ok(mounted.length > 1);
      for (const name of mounted) assert.ok(names.includes(name), name);
      // Keystone's tool does not start without its keys.
      if (chart === 'keystone') assert.match(JSON.stringify(podOf(job)), /"secretName":"keystone-fernet-keys"/);
    });

  test('its deadline is that of bootstrap.env, and nothing else of it is', async () => {
    const env = { KOLLA_DB_SYNC_CHECK_TIMEOUT: '15m', OTHER: 'x' };
    const { all } = await upgraded('placement', { bootstrap: { env }, upgrade: { check: true } });
    const job = all.find(({ kind }) => kind === 'Job');
    assert.ok(job !== undefined);
    const names = mainOf(job).env?.filter(({ name }) => Object.hasOwn(env, name));
    assert.deepEqual(names, [{ name: 'KOLLA_DB_SYNC_CHECK_TIMEOUT', value: '15m' }]);
  });

  test('a service without workloads has nothing to check', async () => {
    const { all } = await upgraded('keystone', { workloads: { api: { enabled: false } }, upgrade: { check: true } });
    assert.deepEqual(all, []);
  });
});
