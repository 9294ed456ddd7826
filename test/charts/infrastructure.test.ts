import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from 'js-yaml';
import { canRunHelm } from '../../tools/helm.ts';
import { parseDefaults } from '../../src/mysql/defaults-file.ts';
import { INFRASTRUCTURE } from '../../src/catalog/infrastructure.ts';
import { podsIn } from './pods.ts';
import { rendering, type Rendered } from './support.ts';

const skip = (await canRunHelm()) ?? false;

describe('charts of the infrastructure', { skip }, () => {
  for (const name of ['mariadb', 'rabbitmq', 'memcached'])
    test(`${name}: its probes equal the catalogue's`, async () => {
      await using chart = await rendering(name);
      const pod = (await chart.render()).one('ConfigMap', `${name}-kolla-pod`)['data']['kolla-pod.yaml'] as string;
      const [probe] = INFRASTRUCTURE.find((entry) => entry.name === name)?.probes ?? [];
      assert.ok(probe?.readiness !== undefined && pod.includes(`run: ${probe.readiness}`), pod);
      assert.ok(probe.liveness !== undefined && pod.includes(`run: ${probe.liveness}`), pod);
    });

  for (const [name, joining] of [
    ['mariadb', [4444, 4567, 4568]],
    ['rabbitmq', [4369, 25_672]],
  ] as const)
    for (const replicas of [1, 3])
      test(`${name} with replicas: ${replicas}: only its own Pods reach the clustering ports`, async () => {
        await using chart = await rendering(name);
        const rendered = await chart.render({
          workloads: { [name]: { replicas } },
          networkPolicy: { from: [{ namespaceSelector: {} }] },
        });
        const { podSelector, ingress } = rendered.one('NetworkPolicy', name)['spec'] as {
          podSelector: object;
          ingress: readonly {
            readonly ports: readonly { readonly port: number }[];
            readonly from?: readonly object[];
          }[];
        };
        const rules = ingress.filter(({ ports }) => ports.some(({ port }) => joining.some((one) => one === port)));
        assert.deepEqual(
          rules.map(({ from }) => from),
          [[{ podSelector }]],
        );
        assert.deepEqual(
          rules[0]!.ports.map(({ port }) => port).toSorted((a, b) => a - b),
          joining,
        );
        // No other rule may allow these ports by listing no ports.
        assert.ok(ingress.every(({ ports }) => ports.length > 0));
      });

  for (const [name, port, clients] of [
    ['mariadb', 3306],
    ['rabbitmq', 5672],
    ['rabbitmq', 15_672, { 'kolla-pod/uses-rabbitmq-management': 'true' }],
  ] as const)
    test(`${name}: its nodes, Jobs and test reach port ${port}, whatever networkPolicy.from has`, async () => {
      await using chart = await rendering(name);
      for (const from of [[{ namespaceSelector: {} }], [{ ipBlock: { cidr: '10.0.0.0/8' } }]]) {
        const rendered = await chart.render({ networkPolicy: { from } }, ['--is-upgrade']);
        const { ingress } = rendered.one('NetworkPolicy', name)['spec'] as {
          ingress: readonly { ports: readonly { port: number }[]; from?: readonly object[] }[];
        };
        const sources = ingress.filter(({ ports }) => ports.some((one) => one.port === port));
        const own = { 'app.kubernetes.io/instance': name, 'app.kubernetes.io/name': name };
        const selector = { podSelector: { matchLabels: { ...own, ...clients } } };
        assert.deepEqual(sources.flatMap((rule) => rule.from).at(-1), selector);
        const jobs = podsIn(rendered).filter(({ of }) => of.startsWith('Job/'));
        const tests = (await chart.tests({ networkPolicy: { from } })).all;
        for (const { metadata } of [...jobs.map(({ object }) => object), ...tests])
          assert.partialDeepStrictEqual(metadata, { labels: selector.podSelector.matchLabels });
        assert.equal(jobs.length, name === 'rabbitmq' ? 1 : 0);
      }
    });

  test('mariadb: three nodes know each other by name, and each waits for the others', async () => {
    await using chart = await rendering('mariadb');
    const file = dataOf(await chart.render({ workloads: { mariadb: { replicas: 3 } } }), 'mariadb-my-cnf', 'my.cnf');
    const names = [0, 1, 2].map((node) => `mariadb-${node}.mariadb-nodes.openstack.svc.cluster.local`);
    assert.match(file, new RegExp(`^wsrep_cluster_address = gcomm://${names.join(',')}$`, 'm'));
    assert.match(file, /pc\.wait_prim_timeout=PT10M/);
  });

  for (const name of ['mariadb', 'rabbitmq'])
    test(`${name}: the nodes of a second release in a namespace know each other, not those of the first`, async () => {
      await using chart = await rendering(name);
      const services = { [name]: null, [`${name}-nodes`]: null, two: {}, peers: { headless: true } };
      const rendered = await chart.render({
        name: 'two',
        workloads: { [name]: { name: 'two', replicas: 3, services } },
      });
      assert.equal(rendered.one('StatefulSet', 'two')['spec'].serviceName, 'peers');
      const texts = [...rendered.of('ConfigMap'), ...rendered.of('Secret')].flatMap(({ kind, ...object }) =>
        Object.values(object['data'] as Record<string, string>).map((value) =>
          kind === 'Secret' ? Buffer.from(value, 'base64').toString() : value,
        ),
      );
      const text = [...texts, JSON.stringify(rendered.one('StatefulSet', 'two')['spec'].template.spec)].join('\n');
      assert.match(text, /two-2\.peers\.openstack/);
      assert.doesNotMatch(text, new RegExp(`${name}-nodes|${name}-[0-9$]`));
    });

  test('mariadb: a password with quotes and backslashes is taken literally', async () => {
    await using chart = await rendering('mariadb');
    const rendered = await chart.render({ global: { passwords: { database_password: "it's a \\ b" } } });
    const sql = Buffer.from(dataOf(rendered, 'mariadb-init-sql', 'init.sql'), 'base64').toString();
    assert.ok(sql.includes("IDENTIFIED BY 'it''s a \\\\ b';"), sql);
  });

  test('mariadb: the probe reads the same password as its client, whatever its content', async () => {
    const password = 'a "b" \\ #c; \'d';
    await using chart = await rendering('mariadb');
    const rendered = await chart.render({ global: { passwords: { mariadb_monitor_password: password } } });
    const data = dataOf(rendered, 'mariadb-healthcheck-cnf', 'healthcheck.cnf');
    assert.equal(parseDefaults(Buffer.from(data, 'base64').toString()).get('password'), password);
  });

  test("mariadb: a cluster's name does not exceed Galera's limit", async () => {
    await using chart = await rendering('mariadb');
    const rendered = await chart.render({}, ['--namespace', 'openstack-of-the-second-region-in-the-north']);
    const [, name = ''] = /^wsrep_cluster_name = (.*)$/m.exec(dataOf(rendered, 'mariadb-my-cnf', 'my.cnf')) ?? [];
    assert.equal(name.length, 32);
  });

  for (const [name, settings, place] of [
    ['mariadb', { foundfrom: 'mariadb-1' }, "'/settings': additional properties 'foundfrom' not allowed"],
    ['mariadb', { foundFrom: '1' }, "'/settings/foundFrom'"],
    ['mariadb', { transfer: 'xtrabackup' }, "'/settings/transfer'"],
    ['rabbitmq', { plugins: 'rabbitmq_management' }, "'/settings/plugins': got string, want null or array"],
    ['memcached', { memoryMiB: '256M' }, "'/settings/memoryMiB': got string, want null or integer"],
  ] as const)
    test(`${name}: unusable settings are rejected with their path: ${JSON.stringify(settings)}`, async () => {
      await using chart = await rendering(name);
      const said = (await chart.complaint({ settings })) ?? 'no complaint';
      assert.ok(said.includes(place), said);
    });

  test('rabbitmq: a password that its file would truncate is rejected with its name', async () => {
    await using chart = await rendering('rabbitmq');
    const said = (await chart.complaint({ global: { passwords: { rabbitmq_password: 'of#hash' } } })) ?? 'no complaint';
    assert.match(said, /global\.passwords\.rabbitmq_password: may not hold #/);
    assert.doesNotMatch(said, /of#hash/);
  });

  test('no container has a variable twice', async () => {
    for (const name of ['mariadb', 'rabbitmq', 'memcached', 'keystone']) {
      await using chart = await rendering(name);
      const pods = podsIn(await chart.render());
      assert.notDeepEqual(pods, []);
      for (const { of, object } of pods) {
        const { initContainers, containers } = object.spec;
        for (const { name: container, env = [] } of [...(initContainers ?? []), ...containers]) {
          const names = (env as { name: string }[]).map((variable) => variable.name);
          assert.deepEqual(names, [...new Set(names)], `${of} ${container}`);
        }
      }
    }
  });

  test('no password is in a ConfigMap', async () => {
    for (const name of ['mariadb', 'rabbitmq', 'memcached']) {
      await using chart = await rendering(name);
      const maps = (await chart.render()).of('ConfigMap');
      assert.notDeepEqual(maps, []);
      const text = JSON.stringify(maps);
      assert.doesNotMatch(text, /of-[a-z-]*(?:password|cookie)/);
    }
  });

  test('rabbitmq: a node that serves no client within 15 minutes of its start is restarted', async () => {
    await using chart = await rendering('rabbitmq');
    const rendered = await chart.render();
    const [pod] = podsIn(rendered);
    const containers = (pod?.object.spec['containers'] ?? []) as {
      name: string;
      startupProbe: Record<string, number>;
    }[];
    const { failureThreshold = 0, periodSeconds = 0 } =
      containers.find(({ name }) => name === 'rabbitmq')?.startupProbe ?? {};
    assert.equal(failureThreshold * periodSeconds, 900);
    const checks = rendered.one('ConfigMap', 'rabbitmq-kolla-pod')['data']['kolla-pod.yaml'] as string;
    assert.match(
      checks,
      /started:\n +for:\n +- startup\n +period: 10s\n +run: rabbitmq 127\.0\.0\.1 --version-file /m,
      checks,
    );
  });

  test('rabbitmq: readiness alone needs a quorum, with a login whose password is in a Secret', async () => {
    await using chart = await rendering('rabbitmq');
    const checksOf = (rendered: Rendered) => {
      const text = rendered.one('ConfigMap', 'rabbitmq-kolla-pod')['data']['kolla-pod.yaml'] as string;
      const { checks } = load(text) as { checks: Record<string, { run: string; for: string[] }> };
      return Object.values(checks).filter(({ run }) => run.includes(' --declare '));
    };
    const words = '--declare --user openstack --password-file /etc/rabbitmq/probe-password --allow-rejected-login';
    const plain = await chart.render();
    assert.deepEqual(
      checksOf(plain).map(({ run, for: roles }) => ({ run, for: roles })),
      [{ run: `rabbitmq 127.0.0.1:5672 ${words}`, for: ['readiness'] }],
    );
    assert.equal(
      Buffer.from(dataOf(plain, 'rabbitmq-probe-password', 'probe-password'), 'base64').toString(),
      'of-rabbitmq-password',
    );
    const [secured] = checksOf(await chart.render({ global: { tls: { enabled: true } } }));
    assert.equal(secured?.run, `rabbitmq 127.0.0.1:5672 --tls verify --ca-file /etc/kolla-tls/ca/ca.crt ${words}`);
  });

  test('rabbitmq: three nodes form a cluster by their names, a single one does not', async () => {
    await using chart = await rendering('rabbitmq');
    const conf = async (replicas: number) => {
      const rendered = await chart.render({ workloads: { rabbitmq: { replicas } } });
      return Buffer.from(dataOf(rendered, 'rabbitmq-rabbitmq-conf', 'rabbitmq.conf'), 'base64').toString();
    };
    assert.match(await conf(3), /nodes\.3 = rabbit@rabbitmq-2\.rabbitmq-nodes\.openstack\.svc\.cluster\.local/);
    assert.doesNotMatch(await conf(1), /cluster_formation/);
  });
});

function dataOf(rendered: Rendered, beginning: string, key: string): string {
  const kinds = ['ConfigMap', 'Secret'].flatMap((kind) => rendered.of(kind));
  const found = kinds.find(({ metadata }) => metadata.name.startsWith(beginning));
  const data = found?.['data'] as Record<string, string> | undefined;
  return data?.[key] ?? '';
}
