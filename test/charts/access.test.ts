import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chartNames } from '../../build/charts.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { runHelper } from '../support/helper.ts';
import { workloadsOf } from './service-charts.ts';
import { NAMESPACE, rendering, type KubeObject, type Rendered, type Rendering } from './support.ts';

const SMALL = fileURLToPath(new URL('fixtures/small', import.meta.url));
const skip = (await canRunHelm()) ?? false;

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

describe("Roles equal the helpers' output for the same waits", { skip }, () => {
  for (const name of chartNames())
    test(`of the chart ${name}`, async () => {
      await using chart = await rendering(name);
      const rendered = await chart.render();
      for (const workload of workloadsOf(rendered)) await comparePrinted(rendered, workload);
    });

  describe('of a generated wait', () => {
    let small: Rendering;
    before(async () => {
      small = await rendering('small', SMALL);
    });
    after(async () => await small?.[Symbol.asyncDispose]());

    const api = async (needs: string[]) => {
      const workloads = { api: { needs }, worker: { enabled: false } };
      const rendered = await small.render({ needs: [], workloads, bootstrap: { enabled: false } });
      return { rendered, workload: rendered.one('Deployment', 'small-api') };
    };

    for (const needs of [
      ['job/a', 'job/b-db-sync', 'job/c?db-sync=x&release=1', '!job/d', 'job?label=app=nova'],
      ['db-sync/keystone', 'db-sync/nova?release=2', 'service/mariadb', 'endpoints/x', 'tcp://a:1', 'file:/x'],
      [
        'pod/galera-0',
        'pod?label=app=ovs&node=own',
        'container/kolla-sidecar',
        'deployment/api',
        'statefulset/r@other',
      ],
      ['daemonset/ovs', 'daemonset/ovs@network', 'node?label=role=network', 'node?node=own', 'node/one'],
      ['configmap/a', 'secret/b', 'certificates.cert-manager.io/api?condition=Ready', '!service/old', '!pod?label=x=y'],
      ['job/one', 'job/one@other', '!job/one', 'deployment?label=a=b', 'deployment/api'],
      Array.from({ length: 9 }, (_, i) => `job/number-${i}`),
    ])
      test(needs.join(' '), async () => {
        const { rendered, workload } = await api(needs);
        await comparePrinted(rendered, workload);
      });

    test('without a wait on the API server there is no Role, and no token in the Pod', async () => {
      const { rendered, workload } = await api(['tcp://a:1', 'mysql://b']);
      assert.deepEqual(rendered.of('Role'), []);
      assert.doesNotMatch(JSON.stringify(workload), /serviceAccountToken/);
    });

    test('Roles and bindings survive an upgrade: Pods of the previous release still use them', async () => {
      const { rendered } = await api(['job/one', 'node/one']);
      const all = ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => rendered.of(kind));
      assert.deepEqual(
        all.map((objects) => objects.length),
        [1, 1, 1, 1],
      );
      for (const { kind, metadata } of all.flat()) {
        assert.equal(metadata.annotations?.['helm.sh/resource-policy'], 'keep', kind);
        // The README's uninstall command selects by this label.
        assert.equal(metadata.labels['kolla-pod/versioned'], 'true', kind);
      }
    });

    test('additional rules are in the Role of each account, with and without waits', async () => {
      const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['list'] };
      for (const needs of [[], ['service/mariadb']]) {
        const workloads = { api: { needs }, worker: { enabled: false } };
        const rendered = await small.render({ needs: [], workloads, rbac: { rules: [rule] } });
        for (const account of ['small-api', 'small-bootstrap'])
          assert.ok(
            rights(rulesIn(rendered, account)).some((right) => right.includes('configmaps')),
            account,
          );
      }
    });

    test("kolla-init has the token, the service's container never does", async () => {
      const { workload } = await api(['service/mariadb']);
      const { spec } = workload['spec'].template;
      const has = (container: KubeObject) => JSON.stringify(container).includes('kube-api-access');
      assert.equal(spec.automountServiceAccountToken, false);
      assert.deepEqual(spec.containers.map(has), [false]);
      assert.deepEqual(
        spec.initContainers.map((container: KubeObject) => [container['name'], has(container)]),
        [
          ['kolla-init', true],
          ['kolla-sidecar', false],
        ],
      );
    });

    test('a wait for a resource whose Role is unknown is rejected', async () => {
      const said = await small.complaint({ workloads: { api: { needs: ['frobnicator/x'] } } });
      assert.match(said ?? '', /wait 'frobnicator\/x': no Role is known for frobnicator/);
    });
  });

  test("the Jobs' Role combines those of kolla-db-sync, of the keys and of the waits", async () => {
    await using chart = await rendering('keystone');
    const rendered = await chart.render({ upgrade: { stepwise: true } });
    const own = ['--namespace', NAMESPACE, '--service-account', 'keystone-bootstrap'];
    const waits = rendered.of('Job').flatMap((job) => waitsOf(job['spec'].template.spec));
    const printed = [
      ...(await rulesOf('kolla-db-sync', [
        'rbac',
        'keystone',
        '--after-rollout',
        'deployment/keystone',
        ...own,
        '-o',
        'json',
      ])),
      ...(await rulesOf('kolla-init', ['rbac', ...waits, '--events', ...own, '-o', 'json'])),
      ...keysRules,
    ];
    assert.deepEqual(rights(rulesIn(rendered, 'keystone-bootstrap')), rights(printed));
  });

  test('CronJobs have a separate account, which updates the Secrets of the keys and creates none', async () => {
    await using chart = await rendering('keystone');
    const rendered = await chart.render({});
    const accounts = rendered
      .of('CronJob')
      .map((cron) => cron['spec'].jobTemplate.spec.template.spec.serviceAccountName);
    assert.deepEqual([...new Set(accounts)], ['keystone-cron']);
    const secrets = rights(rulesIn(rendered, 'keystone-cron')).filter((right) => right.includes('secrets'));
    assert.ok(secrets.length > 0 && secrets.every((right) => !right.includes('create')), secrets.join());
    assert.ok(rights(rulesIn(rendered, 'keystone-cron')).every((right) => !right.includes('leases')));
  });
});

/** The rules that `kolla-bootstrap keys rbac` prints, as in docs/how-to/keystone-keys.md: it has no JSON output. */
const keysRules: readonly Rule[] = [
  {
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: ['keystone-fernet-keys', 'keystone-credential-keys'],
    verbs: ['get', 'update'],
  },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
];

/** Compares the Roles of a workload's account, in all namespaces, with those of `kolla-init rbac`. */
async function comparePrinted(rendered: Rendered, workload: KubeObject): Promise<void> {
  const account = workload.metadata.name;
  const waits = waitsOf(workload['spec'].template.spec);
  const args = ['rbac', ...waits, '--events', '--namespace', NAMESPACE, '--service-account', account, '-o', 'json'];
  const asked = waits.length === 0 ? [] : await itemsOf('kolla-init', args);
  // --events alone also creates a Role; the compared Role is that for the waits.
  const isNeeded = asked
    .flatMap((object) => object['rules'] ?? [])
    .some(({ resources }: Rule) => resources[0] !== 'events');
  assert.deepEqual(byNamespace(rolesOf(rendered, account)), isNeeded ? byNamespace(asked.filter(isRole)) : {}, account);
}

function waitsOf({ initContainers }: { initContainers: KubeObject[] }): string[] {
  const { command } = initContainers.find(({ name }) => name === 'kolla-init') as unknown as { command: string[] };
  return command.flatMap((word, i) => (command[i - 1] === '--wait' ? ['--wait', word] : []));
}

function isRole({ kind }: KubeObject): boolean {
  return kind === 'Role' || kind === 'ClusterRole';
}

/** The Roles bound to an account. */
function rolesOf({ all }: Rendered, account: string): KubeObject[] {
  const bindings = all.filter(({ kind, subjects }) => kind.endsWith('Binding') && subjects[0].name === account);
  const names = new Set(bindings.map(({ roleRef }) => `${roleRef.kind} ${roleRef.name}`));
  return all.filter((object) => isRole(object) && names.has(`${object.kind} ${object.metadata.name}`));
}

function rulesIn(rendered: Rendered, account: string): Rule[] {
  return rolesOf(rendered, account).flatMap((role) => role['rules'] as Rule[]);
}

function byNamespace(roles: readonly KubeObject[]): Record<string, string[]> {
  return Object.fromEntries(
    roles.map((role) => [role.metadata.namespace ?? 'cluster', rights(role['rules'] as Rule[])]),
  );
}

/** The rights as one line per verb and name, sorted, so that the grouping of rules does not matter. */
function rights(rules: readonly Rule[]): string[] {
  const all = rules.flatMap(({ apiGroups, resources, resourceNames = ['*'], verbs }) =>
    resourceNames.flatMap((name) => verbs.map((verb) => `${verb} ${resources.join()}.${apiGroups.join()} ${name}`)),
  );
  return [...new Set(all)].toSorted();
}

async function itemsOf(helper: string, args: readonly string[]): Promise<KubeObject[]> {
  const { code, stdout, stderr } = await runHelper(helper, args);
  assert.equal(code, 0, stderr);
  return (JSON.parse(stdout) as { items: KubeObject[] }).items;
}

async function rulesOf(helper: string, args: readonly string[]): Promise<Rule[]> {
  return (await itemsOf(helper, args)).filter(isRole).flatMap((role) => role['rules'] as Rule[]);
}
