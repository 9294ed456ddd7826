/**
 * What the services of a cloud share, memcached and RabbitMQ, in every chart: a rendered file with a cache or a queue -> its
 * options, and the labels by which a NetworkPolicy admits its Pods.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chartNames } from '../../build/charts.ts';
import { osloOption } from '../../src/oslo/ini.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { podsIn } from './pods.ts';
import { filesOf, podOf } from './service-charts.ts';
import { PASSWORDS, rendering, type KubeObject, type Rendered } from './support.ts';

const MEMCACHED = 'kolla-pod/uses-memcached';
const MANAGEMENT = 'kolla-pod/uses-rabbitmq-management';
const ADMIN = PASSWORDS['rabbitmq_password'] ?? '';

interface PolicyRule {
  readonly ports: readonly { readonly port: number }[];
  readonly from?: readonly object[];
}

const KINDS = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'Job']);
const podsWith = (rendered: Rendered) => rendered.all.filter(({ kind }) => KINDS.has(kind));
const labelsOf = (object: KubeObject) => object['spec'].template.metadata.labels as Record<string, string>;
const textsOf = (rendered: Rendered, object: KubeObject) => [...filesOf(rendered, object).values()];

/** Where a policy admits clients to a port. */
function sourcesOf(rendered: Rendered, name: string, port: number): readonly object[] {
  const rules = rendered.one('NetworkPolicy', name)['spec'].ingress as readonly PolicyRule[];
  return rules.filter(({ ports }) => ports.some((one) => one.port === port)).flatMap(({ from = [] }) => from);
}

describe('memcached and RabbitMQ in all charts', { skip: (await canRunHelm()) ?? false }, () => {
  for (const name of chartNames()) {
    const isInfrastructure = ['mariadb', 'memcached', 'rabbitmq'].includes(name);

    for (const tls of [false, true])
      test(`${name}, TLS ${tls ? 'on' : 'off'}: tokens in memcached are encrypted`, async () => {
        await using chart = await rendering(name);
        const rendered = await chart.render({ global: { tls: { enabled: tls } } });
        const texts = podsWith(rendered).flatMap((object) => textsOf(rendered, object));
        const files = texts.filter((text) => /^\[keystone_authtoken\]$/m.test(text));
        for (const text of files) {
          const option = (key: string) => osloOption(text, 'keystone_authtoken', key);
          assert.equal(option('memcache_security_strategy'), 'ENCRYPT');
          assert.equal(option('memcache_secret_key'), PASSWORDS['memcache_secret_key']);
          assert.equal(option('memcached_servers'), tls ? undefined : 'memcached:11211');
        }
        assert.equal(
          files.length > 0,
          !isInfrastructure && !['keystone', 'horizon', 'nova-cell', 'nova-compute'].includes(name),
        );
      });

    test(`${name}: a Pod is admitted to memcached exactly if a file of it names it`, async () => {
      await using chart = await rendering(name);
      const rendered = await chart.render();
      for (const object of podsWith(rendered)) {
        const isClient = textsOf(rendered, object).some((text) => text.includes('memcached:11211'));
        assert.equal(labelsOf(object)[MEMCACHED], isClient ? 'true' : undefined, object.metadata.name);
        assert.ok(
          !isClient || podOf(object).hostNetwork !== true,
          `${object.metadata.name} has the address of its node`,
        );
      }
    });

    test(`${name}: only a Job has the password of RabbitMQ's administrator, and reaches the management API`, async () => {
      await using chart = await rendering(name);
      const rendered = await chart.render();
      for (const object of podsWith(rendered)) {
        const hasVariable = JSON.stringify(podOf(object)).includes('KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_PASSWORD');
        assert.ok(!hasVariable || object.kind === 'Job', object.metadata.name);
        assert.equal(labelsOf(object)[MANAGEMENT], hasVariable ? 'true' : undefined, object.metadata.name);
        const texts = textsOf(rendered, object);
        // The broker creates the account.
        if (name !== 'rabbitmq') assert.ok(!texts.some((text) => text.includes(ADMIN)), object.metadata.name);
        for (const text of texts.filter((one) => /^transport_url = /m.test(one))) {
          const url = osloOption(text, 'DEFAULT', 'transport_url') ?? '';
          const account = name.replace(/-(?:cell|compute)$/, '');
          const own = PASSWORDS[`${account}_rabbitmq_password`];
          assert.equal(url, `rabbit://${account}:${own}@rabbitmq:5672//`);
        }
      }
    });
  }

  test('a virtual host for each account is one value', async () => {
    const rabbitmq = { host: 'rabbitmq', port: 5672, managementPort: 15_672, virtualHost: '{account}' };
    for (const [name, vhost] of [
      ['heat', 'heat'],
      ['nova', 'nova'],
      ['nova-cell', 'nova'],
      ['nova-compute', 'nova'],
    ] as const) {
      await using chart = await rendering(name);
      const rendered = await chart.render({ global: { endpoints: { rabbitmq } } });
      const urls = podsWith(rendered)
        .flatMap((object) => textsOf(rendered, object))
        .flatMap((text) => /^transport_url = (.*)$/m.exec(text)?.[1] ?? []);
      assert.notEqual(urls.length, 0);
      for (const url of urls) assert.match(url, new RegExp(`@rabbitmq:5672/${vhost}$`));
    }
  });

  for (const [name, port, label] of [
    ['memcached', 11_211, MEMCACHED],
    ['rabbitmq', 15_672, MANAGEMENT],
  ] as const) {
    const matchLabels = { [label]: 'true' };

    test(`${name}: port ${port} admits labelled Pods of the namespace only`, async () => {
      await using chart = await rendering(name);
      assert.deepEqual(sourcesOf(await chart.render(), name, port), [{ podSelector: { matchLabels } }]);
    });

    test(`${name}: of networkPolicy.from, port ${port} admits labelled Pods only, and no address block`, async () => {
      await using chart = await rendering(name);
      const namespaceSelector = { matchLabels: { team: 'cloud' } };
      const from = [
        { podSelector: { matchLabels: { app: 'a' } } },
        { namespaceSelector },
        { ipBlock: { cidr: '10.0.0.0/8' } },
      ];
      const release = { 'app.kubernetes.io/instance': name, 'app.kubernetes.io/name': name };
      const own = { podSelector: { matchLabels: { ...release, ...matchLabels } } };
      assert.deepEqual(sourcesOf(await chart.render({ networkPolicy: { from } }), name, port), [
        { podSelector: { matchLabels: { app: 'a', ...matchLabels } } },
        { namespaceSelector, podSelector: { matchLabels } },
        own,
      ]);
      const blocks = await chart.render({ networkPolicy: { from: [{ ipBlock: { cidr: '10.0.0.0/8' } }] } });
      assert.deepEqual(sourcesOf(blocks, name, port), [own], 'a rule without sources would admit all');
    });

    test(`${name}: the Pod of helm test has the label for port ${port}`, async () => {
      await using chart = await rendering(name);
      const [pod] = (await chart.tests()).all;
      assert.equal(pod?.metadata.labels[label], 'true');
    });
  }

  test('the copies of Jobs before an upgrade reach the management API too', async () => {
    await using chart = await rendering('nova');
    const rendered = await chart.render({}, ['--is-upgrade']);
    const hooks = podsIn(rendered).filter(({ of }) => /nova-bootstrap-\w+-r\d/.test(of));
    assert.notEqual(hooks.length, 0);
    const jobs = rendered.of('Job').filter(({ metadata }) => metadata.name.startsWith('nova-bootstrap-'));
    for (const job of jobs) assert.equal(labelsOf(job)[MANAGEMENT], 'true', job.metadata.name);
  });
});
