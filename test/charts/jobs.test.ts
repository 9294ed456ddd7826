import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { canRunHelm } from '../../tools/helm.ts';
import { rendering, type KubeObject, type Rendered, type Rendering } from './support.ts';

const skip = (await canRunHelm()) ?? false;

describe('Jobs', { skip }, () => {
  let keystone: Rendering;
  before(async () => {
    keystone = await rendering('keystone');
  });
  after(async () => await keystone?.[Symbol.asyncDispose]());

  const stepwise = { upgrade: { stepwise: true } };
  const STEPWISE = ['keystone-bootstrap', 'keystone-db-contract', 'keystone-db-migrate', 'keystone-keys'];

  test("each workload waits for the exact name of this release's Job", async () => {
    const rendered = await keystone.render();
    const { name } = rendered.one('Job', 'keystone-bootstrap-').metadata;
    assert.match(name, /^keystone-bootstrap-[0-9a-f]{10}$/);
    assert.deepEqual(jobWaits(rendered.one('Deployment', 'keystone')), [`${name}?db-sync=keystone&release=2025.2`]);
  });

  test('another image, configuration or phase creates another Job; more replicas do not', async () => {
    const nameWith = async (values: object) =>
      (await keystone.render(values)).one('Job', 'keystone-bootstrap-').metadata.name;
    const first = await nameWith({});
    assert.equal(await nameWith({ workloads: { api: { replicas: 3, resources: { limits: { cpu: 1 } } } } }), first);
    const others = [
      { global: { tag: '2026.1' } },
      { settings: { extra: { token: { expiration: 7200 } } } },
      stepwise,
      { global: { passwords: { keystone_admin_password: 'another' } } },
      { release: '2025.2-second' },
    ];
    const names = [first];
    for (const values of others) names.push(await nameWith(values));
    assert.equal(new Set(names).size, others.length + 1);
  });

  test('with reload: live a changed configuration creates no new Job and restarts no Pod', async () => {
    const live = (extra: object) => keystone.render({ config: { reload: 'live' }, settings: { extra } });
    const one = await live({});
    const other = await live({ token: { expiration: 7200 } });
    assert.notDeepEqual(one.of('Secret'), other.of('Secret'));
    for (const kind of ['Job', 'Deployment']) assert.deepEqual(one.of(kind), other.of(kind));
  });

  test('an upgrade neither deletes nor interrupts a migration: kept, removed by TTL, an hour of grace period', async () => {
    const rendered = await keystone.render(stepwise);
    assert.deepEqual(namesOf(rendered), STEPWISE);
    for (const job of rendered.of('Job')) {
      const { metadata, spec } = job;
      assert.equal(metadata.annotations?.['helm.sh/resource-policy'], 'keep', metadata.name);
      assert.equal(spec.ttlSecondsAfterFinished, 86_400);
      assert.equal(spec.template.spec.terminationGracePeriodSeconds, 3600);
      const { command } = spec.template.spec.containers[0];
      const grace = command[command.indexOf('--grace') + 1];
      if (!metadata.name.startsWith('keystone-keys')) assert.equal(grace, '3570s', metadata.name);
    }
  });

  test('a drained node does not count as a retry, and an invalid configuration is not retried', async () => {
    const rendered = await keystone.render(stepwise);
    assert.deepEqual(namesOf(rendered), STEPWISE);
    for (const { metadata, spec } of rendered.of('Job')) {
      const [drained, wrong] = spec.podFailurePolicy.rules;
      assert.deepEqual([drained.action, drained.onPodConditions[0].type], ['Ignore', 'DisruptionTarget']);
      assert.deepEqual([wrong.action, wrong.onExitCodes.values], ['FailJob', [64, 65]]);
      assert.equal(spec.template.spec.restartPolicy, 'Never', metadata.name);
    }
  });

  test('replicas that keep away from each other leave a node for the Job, which has only their node affinity', async () => {
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } };
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { team: 'a' } } };
    const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
    const rendered = await keystone.render({ workloads: { api: { affinity: { nodeAffinity, podAntiAffinity } } } });
    const affinityOf = ({ spec }: KubeObject) => (spec.jobTemplate?.spec ?? spec).template.spec.affinity;
    assert.deepEqual(affinityOf(rendered.one('Deployment', 'keystone')), { nodeAffinity, podAntiAffinity });
    for (const job of [...rendered.of('Job'), ...rendered.of('CronJob')])
      assert.deepEqual(affinityOf(job), { nodeAffinity }, job.metadata.name);
  });

  test('no object of an installation is a Helm hook, since --wait would deadlock with one', async () => {
    assert.doesNotMatch(JSON.stringify((await keystone.render(stepwise)).all), /helm\.sh\/hook/);
  });

  test('pauseBefore: contract suspends the Job of contract, and changes neither its name nor any other object', async () => {
    const free = await keystone.render(stepwise);
    const held = await keystone.render({ upgrade: { stepwise: true, pauseBefore: 'contract' } });
    assert.equal(held.one('Job', 'keystone-db-contract-')['spec'].suspend, true);
    const rest = ({ all }: Rendered) =>
      all.filter(({ metadata }) => !metadata.name.startsWith('keystone-db-contract-'));
    assert.deepEqual(rest(held), rest(free));
    assert.deepEqual(namesOf(held), namesOf(free));
    assert.match(
      (await keystone.complaint({ upgrade: { pauseBefore: 'contract' } })) ?? '',
      /say upgrade\.stepwise: true/,
    );
    assert.notEqual(await keystone.complaint({ upgrade: { stepwise: true, pauseBefore: 'expand' } }), undefined);
    assert.equal(free.one('Job', 'keystone-db-contract-').metadata.annotations?.['kolla-pod/migration'], 'keystone');
  });

  test('stepwise: expand and migrate run before the Pods, contract waits for their rollout', async () => {
    const rendered = await keystone.render(stepwise);
    const [bootstrap, migrate, contract] = ['bootstrap', 'db-migrate', 'db-contract'].map((name) =>
      rendered.one('Job', `keystone-${name}-`),
    ) as [KubeObject, KubeObject, KubeObject];
    const suffix = '?db-sync=keystone&release=2025.2';
    assert.equal(phaseOf(bootstrap), 'expand');
    assert.deepEqual(jobWaits(migrate), [`${bootstrap.metadata.name}${suffix}`]);
    assert.deepEqual(jobWaits(rendered.one('Deployment', 'keystone')), [`${migrate.metadata.name}${suffix}`]);
    const { command } = contract['spec'].template.spec.containers[0];
    assert.deepEqual(command.slice(command.indexOf('--phase')), [
      '--phase',
      'contract',
      '--after-rollout',
      'deployment/keystone',
    ]);
    assert.equal(
      rendered.one('Deployment', 'keystone')['spec'].template.metadata.annotations['kolla-pod/release'],
      '2025.2',
    );
    for (const job of [migrate, contract]) assert.equal(job['spec'].backoffLimit, 0);
  });

  test('without stepwise upgrades one Job runs the full migration', async () => {
    const rendered = await keystone.render();
    assert.equal(phaseOf(rendered.one('Job', 'keystone-bootstrap-')), undefined);
    assert.deepEqual(namesOf(rendered), ['keystone-bootstrap', 'keystone-keys']);
  });

  test('a Job of a chart without a migration has no TTL, since Pods wait for the Job itself', async () => {
    const rendered = await keystone.render({ bootstrap: { dbSync: '' } });
    const job = rendered.one('Job', 'keystone-bootstrap-');
    assert.equal(job['spec'].ttlSecondsAfterFinished, undefined);
    assert.deepEqual(jobWaits(rendered.one('Deployment', 'keystone')), [job.metadata.name]);
  });

  test('no password is in an argument or a variable of any Pod', async () => {
    const rendered = await keystone.render({
      ...stepwise,
      logs: { enabled: true, user: 'u', password: 'rabbitmq_password' },
    });
    const others = rendered.all.filter(({ kind }) => kind !== 'Secret');
    assert.doesNotMatch(JSON.stringify(others), /of-[a-z]+-[a-z-]*password/);
    assert.match(JSON.stringify(rendered.of('Deployment')), /KOLLA_LOG_SHIP_PASSWORD/);
  });

  test('a password of an existing Secret is read from it', async () => {
    const passwordSecrets = { keystone_admin_password: { secret: 'mine', key: 'admin' } };
    const job = (await keystone.render({ global: { passwordSecrets } })).one('Job', 'keystone-bootstrap-');
    const { env } = job['spec'].template.spec.containers[0];
    assert.deepEqual(env.find(({ name }: { name: string }) => name === 'OS_BOOTSTRAP_PASSWORD').valueFrom, {
      secretKeyRef: { name: 'mine', key: 'admin' },
    });
  });

  test('CronJobs have their account even without a bootstrap Job, and are removed with the workloads', async () => {
    const rendered = await keystone.render({ bootstrap: { enabled: false } });
    assert.deepEqual(rendered.of('Job'), []);
    const accounts = rendered.of('ServiceAccount').map(({ metadata }) => metadata.name);
    for (const { spec } of rendered.of('CronJob'))
      assert.ok(accounts.includes(spec.jobTemplate.spec.template.spec.serviceAccountName), accounts.join(' '));
    assert.equal(rendered.of('CronJob').length, 2);
    assert.deepEqual((await keystone.render({ workloads: { api: { enabled: false } } })).of('CronJob'), []);
  });

  test('an unknown workload is rejected with its name', async () => {
    assert.match(
      (await keystone.complaint({ bootstrap: { workload: 'apo' } })) ?? '',
      /bootstrap\.workload: there is no workloads\.apo/,
    );
  });
});

function namesOf(rendered: Rendered): string[] {
  return rendered
    .of('Job')
    .map(({ metadata }) => metadata.name.replace(/-[0-9a-f]{10}$/, ''))
    .toSorted();
}

function jobWaits(object: KubeObject): string[] {
  const [{ command }] = object['spec'].template.spec.initContainers as [{ command: string[] }];
  return command.filter((word) => word.startsWith('job/')).map((word) => word.slice('job/'.length));
}

function phaseOf(job: KubeObject): string | undefined {
  const { command } = job['spec'].template.spec.containers[0] as { command: string[] };
  return command.includes('--phase') ? command[command.indexOf('--phase') + 1] : undefined;
}
