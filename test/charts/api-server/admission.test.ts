import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { chartNames } from '../../../build/charts.ts';
import { CHARTS as RUN_FOR_REAL } from '../../aio/stage.ts';
import { canRunHelm } from '../../../tools/helm.ts';
import { canRunControlPlane } from '../../cluster/kubernetes/index.ts';
import { namespaceName, sharedControlPlane, type SharedControlPlane } from '../../servers/index.ts';
import { podsIn, type PodOf } from '../pods.ts';
import { rendering, type Rendered } from '../support.ts';

/** The namespace of the charts' objects, and one that admits Pods which the first one rejects. */
const [RESTRICTED, PRIVILEGED] = [namespaceName('restricted'), namespaceName('privileged')];
const THERE = ['--namespace', RESTRICTED];
const reason = (await canRunHelm()) ?? (await canRunControlPlane());

describe('the real API server accepts the output of each chart', { skip: reason ?? false, concurrency: 1 }, () => {
  let cluster: SharedControlPlane;
  const table = [['chart', 'helm lint', 'server dry run', 'Pods admitted under restricted', 'run for real']];
  const notRestricted: string[] = [];

  before(async () => {
    cluster = await sharedControlPlane();
    for (const [name, level] of [
      [RESTRICTED, 'restricted'],
      [PRIVILEGED, 'privileged'],
    ] as const) {
      await cluster.createNamespace(name);
      await cluster.kubectl(['label', 'namespace', name, `pod-security.kubernetes.io/enforce=${level}`]);
    }
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
    console.log(table.map((row) => row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')).join('\n'));
    console.log(['', 'not restricted, because', ...notRestricted].join('\n'));
  });

  for (const name of chartNames()) {
    test(`${name}: its objects are valid, its Pods restricted unless a reason is given`, async () => {
      await using chart = await rendering(name);
      const isRun = (RUN_FOR_REAL as readonly string[]).includes(name);
      const row = [name, 'failed', 'failed', 'failed', isRun ? 'yes: make aio' : 'no: no image of it is built here'];
      table.push(row);
      assert.equal(await chart.lint(), undefined);
      row[1] = 'passed';
      const rendered = await chart.render({}, THERE);
      await dryRun(rendered);
      row[2] = `${rendered.all.length} objects`;
      const pods = podsIn(rendered);
      assert.notDeepEqual(pods, []);
      const exempt = pods.filter((pod) => pod.exempt !== undefined);
      await judge(rendered);
      await admitTest(await chart.tests({}, THERE));
      row[3] = `${pods.length - exempt.length} of ${pods.length}`;
      notRestricted.push(...exempt.map((pod) => `${name} ${pod.of}: ${pod.exempt}`));
    });
  }

  for (const delivery of ['copied', 'imageVolume']) {
    test(`delivery: ${delivery}: Pods are admitted too`, async () => {
      await using chart = await rendering('keystone');
      const rendered = await chart.render({ kollaPod: { delivery } }, THERE);
      await dryRun(rendered);
      await judge(rendered);
    });
  }

  test('reload: live, log shipping and stepwise upgrades render valid objects', async () => {
    await using chart = await rendering('keystone');
    const rendered = await chart.render(
      {
        config: { reload: 'live', bundle: 'service' },
        logs: { enabled: true, url: 'http://elasticsearch:9200' },
        upgrade: { stepwise: true },
        workloads: { api: { replicas: 3 } },
      },
      THERE,
    );
    await dryRun(rendered);
    await judge(rendered);
  });

  async function dryRun({ all }: Rendered): Promise<void> {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: all });
    const said = await cluster.kubectl(['apply', '--dry-run=server', '--validate=strict', '--filename=-'], list);
    assert.equal(said.trim().split('\n').length, all.length);
  }

  /** The Pod of `helm test` is restricted too, whatever the chart's own Pods are. */
  async function admitTest({ all }: Rendered): Promise<void> {
    for (const object of all) {
      const pod = JSON.stringify({ ...object, metadata: { ...object.metadata, namespace: RESTRICTED } });
      await cluster.kubectl(['create', '--dry-run=server', '--validate=strict', '--filename=-'], pod);
    }
  }

  async function createAccounts(rendered: Rendered, namespace: string): Promise<void> {
    const items = rendered.of('ServiceAccount').map((account) => ({
      ...account,
      metadata: { name: account.metadata.name, namespace },
    }));
    if (items.length === 0) return;
    await cluster.kubectl(['apply', '--filename=-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  }

  /** Pods are admitted as documented, and only `restricted` rejects the others. */
  async function judge(rendered: Rendered): Promise<void> {
    const pods = podsIn(rendered);
    // A Pod's ServiceAccount must exist.
    for (const namespace of [RESTRICTED, PRIVILEGED]) await createAccounts(rendered, namespace);
    const create = async (namespace: string, chosen: readonly PodOf[]) => {
      // All of nova-compute's Pods are exempt.
      if (chosen.length === 0) return;
      const items = chosen.map(({ object }) => ({ ...object, metadata: { ...object.metadata, namespace } }));
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
      await cluster.kubectl(['create', '--dry-run=server', '--validate=strict', '--filename=-'], list);
    };
    const exempt = pods.filter((pod) => pod.exempt !== undefined);
    await create(PRIVILEGED, pods);
    await create(
      RESTRICTED,
      pods.filter((pod) => pod.exempt === undefined),
    );
    for (const pod of exempt)
      await assert.rejects(create(RESTRICTED, [pod]), /violates PodSecurity "restricted/, `${pod.of} is restricted`);
  }
});
