/**
 * global.tls.enabled in all charts, as rendered by Helm: its effect on each file, Pod and Job, and no effect if unset.
 * Real servers with these files: test/integration/tls-*.test.ts.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chartNames } from '../../build/charts.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { podsIn } from './pods.ts';
import { workloadsOf } from './service-charts.ts';
import { NAMESPACE, rendering, type KubeObject, type Rendered } from './support.ts';

const ON = { global: { tls: { enabled: true } } };
const CA = '/etc/kolla-tls/ca/ca.crt';
const SMALL = fileURLToPath(new URL('fixtures/small', import.meta.url));

interface Volume {
  readonly name: string;
  readonly secret?: Source & { readonly secretName: string; readonly defaultMode?: number };
  readonly configMap?: Source & { readonly name: string };
}
interface Source {
  readonly items?: readonly { readonly key: string; readonly path: string }[];
}
interface Mount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
}

describe('global.tls', { skip: (await canRunHelm()) ?? false }, () => {
  for (const name of chartNames()) {
    test(`${name}: renders nothing for TLS unless it is enabled`, async () => {
      await using chart = await rendering(name);
      const plain = await chart.render();
      const off = await chart.render({ global: { tls: { enabled: false, secrets: { [name]: 'mine' } } } });
      assert.deepEqual(off.all, plain.all);
      assert.doesNotMatch(textOf(plain), /kolla-tls|tls-(?:ca|server)|https:|\bssl_ca\b/);
    });

    test(`${name}: leaves no plain connection to a server of the charts`, async () => {
      await using chart = await rendering(name);
      const rendered = await chart.render(ON);
      // A wait for mysql:// reads only the greeting, which precedes TLS.
      assert.doesNotMatch(textOf(rendered), /\b(?:http|amqp|memcached):\/\/|^http = |listeners\.tcp\.default/m);
      for (const [at, text] of filesIn(rendered)) {
        for (const [url] of text.matchAll(/mysql\+pymysql:\S+/g)) assert.ok(url.endsWith(`&ssl_ca=${CA}`), at);
        for (const [section, options] of sectionsOf(text)) {
          const where = `${at} [${section}]`;
          if (options.has('auth_url')) assert.match(options.get('auth_url') ?? '', /^https:/, where);
          // [trustee] is used only for login; heat's clients have their CA in [clients].
          if (options.has('auth_url') && section !== 'trustee') assert.equal(options.get('cafile'), CA, where);
          if (options.has('memcache_servers'))
            assert.deepEqual(cacheOf(options), ['dogpile.cache.bmemcached', 'true', CA]);
          // The client that reads this option has no TLS.
          assert.ok(!options.has('memcached_servers'), where);
          if (options.has('transport_url'))
            assert.match(
              text,
              new RegExp(`^\\[oslo_messaging_rabbit\\]\\n[^[]*ssl = true\\nssl_ca_file = ${CA}$`, 'm'),
            );
        }
      }
    });

    test(`${name}: mounts a key read-only into the server's container alone, and renders none`, async () => {
      await using chart = await rendering(name);
      const rendered = await chart.render(ON);
      const secrets = new Map<string, string>();
      for (const pod of podsIn(rendered)) {
        const volumes = pod.object.spec['volumes'] as readonly Volume[];
        const keys = volumes.filter((volume) => JSON.stringify(volume).includes('tls.key'));
        const mounts = mountsOf(pod.object.spec, new Set(keys.map((volume) => volume.name)));
        for (const { name: volume, secret } of keys) {
          assert.equal(volume, 'tls-server');
          assert.equal(secret?.defaultMode, 0o440);
          assert.deepEqual(
            secret?.items?.map(({ key }) => key),
            ['tls.crt', 'tls.key'],
          );
          secrets.set(pod.of.replace(/.*\//, ''), secret?.secretName ?? '');
        }
        const [service] = pod.object.spec['containers'] as [KubeObject];
        assert.deepEqual(
          mounts,
          keys.map(() => ({ container: service['name'], mountPath: '/etc/kolla-tls/server', readOnly: true })),
        );
        for (const { mountPath, readOnly, container } of mountsOf(pod.object.spec, new Set(['tls-ca'])))
          assert.deepEqual([mountPath, readOnly], ['/etc/kolla-tls/ca', true], `${pod.of} ${container}`);
        const ca = volumes.find((volume) => volume.name === 'tls-ca');
        if (ca !== undefined) assert.deepEqual(ca.secret?.items, [{ key: 'ca.crt', path: 'ca.crt' }]);
      }
      const servers = workloadsOf(rendered).filter(({ spec }) => spec.template.spec.containers[0].ports !== undefined);
      assert.deepEqual(
        Object.fromEntries(secrets),
        Object.fromEntries(servers.map(({ metadata }) => [metadata.name, `${metadata.name}-tls`])),
      );
      assert.doesNotMatch(textOf(rendered), /PRIVATE KEY/);
      for (const { metadata, data } of rendered.of('Secret')) assert.ok(!('tls.key' in data), metadata.name);
    });

    test(`${name}: every container that names the CA bundle has it`, async () => {
      await using chart = await rendering(name);
      const rendered = await chart.render(ON);
      for (const pod of podsIn(rendered)) {
        const spec = pod.object.spec;
        const having = new Set(mountsOf(spec, new Set(['tls-ca'])).map(({ container }) => container));
        for (const container of [...spec['initContainers'], ...spec['containers']] as KubeObject[]) {
          const words = JSON.stringify([container['command'], container['env']]);
          if (words.includes(CA)) assert.ok(having.has(container['name']), `${pod.of} ${container['name']}`);
          const isService = container['name'] === (spec['containers'] as [KubeObject])[0]['name'];
          const reads = JSON.stringify(sourcesIn(rendered, spec)).includes(CA);
          if (isService && reads) assert.ok(having.has(container['name']), pod.of);
        }
      }
    });
  }

  test('a workload takes its certificate from the Secret named by globals or its chart', async () => {
    await using chart = await rendering('nova');
    const secretsOf = async (values: object) => {
      const pods = podsIn(await chart.render(values));
      return pods.flatMap(({ object }) =>
        (object.spec['volumes'] as readonly Volume[]).flatMap((one) =>
          one.name === 'tls-server' ? [one.secret?.secretName] : [],
        ),
      );
    };
    const tls = { enabled: true, secrets: { 'nova-api': 'api-certificate' } };
    assert.deepEqual(await secretsOf({ global: { tls } }), ['api-certificate', 'nova-metadata-tls']);
    const charts = { nova: { workloads: { metadata: { tls: { secret: 'metadata-certificate' } } } } };
    assert.deepEqual(await secretsOf({ global: { tls, charts } }), ['api-certificate', 'metadata-certificate']);
  });

  test('the CA bundle comes from any key of a Secret or a ConfigMap', async () => {
    await using chart = await rendering('placement');
    const volumeFor = async (ca: object) => {
      const rendered = await chart.render({ global: { tls: { enabled: true, ca } } });
      const [pod] = workloadsOf(rendered);
      return pod?.['spec'].template.spec.volumes.find((volume: Volume) => volume.name === 'tls-ca');
    };
    const items = [{ key: 'bundle.pem', path: 'ca.crt' }];
    const secret = { secretName: 'mine', items };
    assert.deepEqual(await volumeFor({ secret: 'mine', key: 'bundle.pem' }), { name: 'tls-ca', secret });
    const configMap = { name: 'ours', items };
    assert.deepEqual(await volumeFor({ configMap: 'ours', key: 'bundle.pem' }), { name: 'tls-ca', configMap });
  });

  test('Jobs get the CA bundle for Keystone and RabbitMQ, and https endpoints', async () => {
    await using chart = await rendering('cinder');
    const job = (await chart.render(ON)).one('Job', 'cinder-bootstrap-');
    const [container] = job['spec'].template.spec.containers;
    const env = Object.fromEntries(
      container.env.map(({ name, value }: { name: string; value?: string }) => [name, value]),
    );
    assert.equal(env['OS_CACERT'], CA);
    assert.equal(env['OS_AUTH_URL'], 'https://keystone:5000/v3');
    assert.equal(env['KOLLA_BOOTSTRAP_CA_FILE'], CA);
    assert.equal(env['KOLLA_BOOTSTRAP_RABBITMQ_URL'], 'https://rabbitmq:15672');
    assert.equal(env['KOLLA_BOOTSTRAP_INTERNAL_URL'], 'https://cinder:{port}{path}');
    assert.equal(env['KOLLA_BOOTSTRAP_PUBLIC_URL'], 'https://cinder:{port}{path}');
  });

  test('clients with separate options are given the CA bundle', async () => {
    const OWN: readonly [chart: string, file: RegExp, line: RegExp][] = [
      ['cinder', /cinder\.conf$/, /^glance_ca_certificates_file = \/etc\/kolla-tls\/ca\/ca\.crt$/m],
      ['heat', /heat\.conf$/, /^\[clients\]\n[^[]*^ca_file = \/etc\/kolla-tls\/ca\/ca\.crt$/m],
      ['heat', /heat\.conf$/, /^\[ec2authtoken\]\n[^[]*^ca_file = \/etc\/kolla-tls\/ca\/ca\.crt$/m],
      ['horizon', /9998-kolla-settings\.py$/, /^OPENSTACK_SSL_CACERT = '\/etc\/kolla-tls\/ca\/ca\.crt'$/m],
      ['horizon', /9998-kolla-settings\.py$/, /'tls_context': ssl\.create_default_context\(cafile='\/etc\/kolla-tls/],
      ['neutron', /metadata_agent\.ini$/, /^nova_metadata_protocol = https$[^[]*^auth_ca_cert = \/etc\/kolla-tls\/ca/m],
      ['nova', /nova\.conf$/, /^\[keystone\]\ncafile = \/etc\/kolla-tls\/ca\/ca\.crt$/m],
      [
        'nova-cell',
        /nova\.conf$/,
        /^ssl_only = true\ncert = \/etc\/kolla-tls\/server\/tls\.crt\nkey = \/etc\/kolla-tls/m,
      ],
    ];
    for (const [name, file, line] of OWN) {
      await using chart = await rendering(name);
      const found = [...filesIn(await chart.render(ON))].filter(([at]) => file.test(at));
      assert.ok(
        found.some(([, text]) => line.test(text)),
        `${name}: ${line}`,
      );
    }
  });

  test('the page lists every Secret with the names of its Services', async () => {
    const page = await readFile(new URL('../../docs/how-to/tls.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| `([-\w]+-tls)` \| (.*) \|$/gm)].map(([, secret, names = '']) => [
      secret,
      [...names.matchAll(/`([^`]*)`/g)].map(([, name]) => name),
    ]);
    const wanted: Record<string, string[]> = {};
    for (const name of chartNames()) {
      await using chart = await rendering(name);
      const rendered = await chart.render(ON);
      for (const { spec } of workloadsOf(rendered)) {
        const [volume] = spec.template.spec.volumes.filter((one: Volume) => one.name === 'tls-server') as Volume[];
        if (volume?.secret === undefined) continue;
        const services = rendered
          .of('Service')
          .filter((one) => JSON.stringify(one['spec'].selector) === JSON.stringify(spec.selector.matchLabels));
        wanted[volume.secret.secretName] = services.map((one) =>
          one['spec'].clusterIP === 'None'
            ? `*.${one.metadata.name}.${NAMESPACE}.svc.cluster.local`
            : one.metadata.name,
        );
      }
    }
    assert.deepEqual(Object.fromEntries(listed), wanted);
  });

  test('rejects values that would serve or send plain text', async () => {
    await using small = await rendering('small', SMALL);
    assert.match(
      (await small.complaint(ON)) ?? '',
      /small: workloads\.api\.tls\.serves: global\.tls is enabled: say true/,
    );
    await using mariadb = await rendering('mariadb');
    assert.match(
      (await mariadb.complaint({ ...ON, settings: { transfer: 'rsync' } })) ?? '',
      /settings\.transfer: rsync would send all data in plain text/,
    );
    await using placement = await rendering('placement');
    const endpoints = { keystone: { url: 'http://keystone.example.org/v3' } };
    assert.match(
      (await placement.complaint({ global: { ...ON.global, endpoints } })) ?? '',
      /global\.endpoints\.keystone\.url: .* is plain, and global\.tls is enabled/,
    );
  });
});

/** The complete rendered output, with decoded Secrets and the files' line breaks. */
function textOf(rendered: Rendered): string {
  return [JSON.stringify(rendered.all), ...filesIn(rendered).values()].join('\n');
}

function filesIn({ all }: Rendered): Map<string, string> {
  return new Map(
    all
      .filter(({ kind }) => kind === 'Secret' || kind === 'ConfigMap')
      .flatMap(({ kind, metadata, data }) =>
        Object.entries((data ?? {}) as Record<string, string>).map(([key, text]): [string, string] => [
          `${kind}/${metadata.name}/${key}`,
          kind === 'Secret' ? Buffer.from(text, 'base64').toString() : text,
        ]),
      ),
  );
}

/** The sections of an INI file, each with the last value of every option. */
function sectionsOf(text: string): [section: string, options: Map<string, string>][] {
  return text
    .split(/^(?=\[)/m)
    .map((part) => [
      /^\[([^\]]*)\]/.exec(part)?.[1] ?? '',
      new Map([...part.matchAll(/^(\w+) = (.*)$/gm)].map(([, option = '', value = '']) => [option, value])),
    ]);
}

function cacheOf(options: ReadonlyMap<string, string>): (string | undefined)[] {
  return ['backend', 'tls_enabled', 'tls_cafile'].map((option) => options.get(option));
}

function mountsOf(spec: KubeObject, volumes: ReadonlySet<string>): (Omit<Mount, 'name'> & { container: string })[] {
  return ([...spec['initContainers'], ...spec['containers']] as KubeObject[]).flatMap((container) =>
    ((container['volumeMounts'] ?? []) as Mount[])
      .filter(({ name }) => volumes.has(name))
      .map(({ mountPath, readOnly }) => ({
        container: container['name'] as string,
        mountPath,
        ...(readOnly && { readOnly }),
      })),
  );
}

/** The files that a Pod has next to config.json. */
function sourcesIn(rendered: Rendered, spec: KubeObject): string[] {
  const files = filesIn(rendered);
  const volume = (spec['volumes'] as KubeObject[]).find((one) => one['name'] === 'config-files');
  return volume?.['projected'].sources.flatMap(({ configMap, secret }: Record<string, KubeObject>) =>
    (configMap ?? secret)?.['items'].map(
      ({ key }: { key: string }) =>
        files.get(`${configMap ? 'ConfigMap' : 'Secret'}/${(configMap ?? secret)?.['name']}/${key}`) ?? '',
    ),
  );
}
