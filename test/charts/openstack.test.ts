import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { osloLines, osloOption } from '../../src/oslo/ini.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { configJsonOf, filesOf, keyOf, podYamlOf, textAt, waitsOf, workloadsOf } from './service-charts.ts';
import { PASSWORDS, rendering, type KubeObject, type Rendered } from './support.ts';

/** The configuration of a chart's Job. */
function configOf(rendered: Rendered, path: string): string {
  const [job] = rendered.of('Job');
  assert.ok(job);
  return textAt(filesOf(rendered, job), path) ?? assert.fail(`the Job has no ${path}`);
}

async function renderedWith(chart: string, values: object): Promise<Rendered> {
  await using helm = await rendering(chart);
  return await helm.render(values);
}

async function horizonSettings(values: object): Promise<string> {
  const rendered = await renderedWith('horizon', values);
  return filesOf(rendered, rendered.one('Deployment', 'horizon')).get('_9998-kolla-settings.py') ?? '';
}

async function complaint(chart: string, values: object): Promise<string> {
  await using helm = await rendering(chart);
  return (await helm.complaint(values)) ?? 'no complaint';
}

/** oslo.privsep sections that Cinder and os-brick use for operations that may need root. */
const PRIVSEP = ['cinder_sys_admin', 'privsep_osbrick'];
const PLACEMENT = '/etc/placement/placement.conf';

describe("sections shared by OpenStack's files", { skip: (await canRunHelm()) ?? false }, () => {
  test('a password is escaped in a URL, and literal in an option', async () => {
    const passwords = { placement_database_password: 'a/b@c:d %+$"', placement_keystone_password: 'e/f@g:h%+' };
    const text = configOf(await renderedWith('placement', { global: { passwords } }), PLACEMENT);
    const { password } = new URL(osloOption(text, 'placement_database', 'connection') ?? '');
    assert.equal(decodeURIComponent(password), passwords.placement_database_password);
    assert.equal(osloOption(text, 'keystone_authtoken', 'password'), passwords.placement_keystone_password);
  });

  for (const bad of ['a$b', '"ab"', "a'b", 'a b'])
    test(`a password that oslo.config would misread is rejected with its name: ${bad}`, async () => {
      const said = await complaint('placement', { global: { passwords: { placement_keystone_password: bad } } });
      assert.match(said, /global\.passwords\.placement_keystone_password: may not hold/);
      assert.ok(!said.includes(bad), said);
    });

  test('an external service is waited for and called at its address', async () => {
    const endpoints = {
      mariadb: { host: 'db.example', port: 3307 },
      keystone: { host: 'keystone.other.svc', port: 5001 },
      glance: { host: 'images.example', scheme: 'https', port: 443 },
    };
    const rendered = await renderedWith('nova', { global: { endpoints } });
    const text = configOf(rendered, '/etc/nova/nova.conf');
    assert.match(osloOption(text, 'api_database', 'connection') ?? '', /@db\.example:3307\/nova_api\?/);
    assert.equal(osloOption(text, 'placement', 'auth_url'), 'http://keystone.other.svc:5001/v3');
    assert.equal(osloOption(text, 'glance', 'endpoint_override'), 'https://images.example:443');
    const api = rendered.one('Deployment', 'nova-api');
    const waits = waitsOf(api).filter((wait) => !/^(?:job\/|!pod\?)/.test(wait));
    assert.deepEqual(waits, ['mysql://db.example:3307', 'amqp://rabbitmq:5672', 'http://keystone.other.svc:5001/v3']);
  });

  test('users are sent to the public address', async () => {
    const publicUrl = 'https://api.example.com:{port}{path}';
    const text = configOf(await renderedWith('heat', { global: { publicUrl } }), '/etc/heat/heat.conf');
    assert.equal(osloOption(text, 'DEFAULT', 'heat_metadata_server_url'), 'https://api.example.com:8000');
    assert.equal(osloOption(text, 'keystone_authtoken', 'www_authenticate_uri'), 'https://api.example.com:5000');
    assert.equal(osloOption(text, 'keystone_authtoken', 'auth_url'), 'http://keystone:5000/v3');
  });

  test("every service uses Keystone's full URL if it is set", async () => {
    const keystone = { host: 'keystone', url: 'https://identity.example/v3' };
    const values = { global: { endpoints: { keystone } } };
    const heat = configOf(await renderedWith('heat', values), '/etc/heat/heat.conf');
    assert.equal(osloOption(heat, 'trustee', 'auth_url'), keystone.url);
    assert.equal(osloOption(heat, 'ec2authtoken', 'auth_url'), keystone.url);
    assert.equal(osloOption(heat, 'ec2authtoken', 'endpoint_override'), 'https://identity.example');
    assert.equal(osloOption(heat, 'clients_keystone', 'auth_uri'), 'https://identity.example');
    assert.equal(osloOption(heat, 'keystone_authtoken', 'www_authenticate_uri'), 'https://identity.example');
    assert.ok((await horizonSettings(values)).includes(`OPENSTACK_KEYSTONE_URL = '${keystone.url}'`));
  });

  // Heat 2025.1 to 2026.2 needs a login here: without it Keystone answers /v3/ec2tokens with 403. The tests have no
  // package of Heat.
  test("heat validates signals of a stack at Keystone with the service's account", async () => {
    const text = configOf(await renderedWith('heat', {}), '/etc/heat/heat.conf');
    const option = (key: string) => osloOption(text, 'ec2authtoken', key);
    assert.deepEqual([option('auth_type'), option('username')], ['password', 'heat']);
    assert.deepEqual([option('project_name'), option('user_domain_name')], ['service', 'Default']);
    assert.equal(option('password'), PASSWORDS['heat_keystone_password']);
    assert.deepEqual(
      [option('auth_url'), option('endpoint_override')],
      ['http://keystone:5000/v3', 'http://keystone:5000'],
    );
    assert.equal(option('auth_uri'), undefined, 'removed in 2026.2');
  });

  test('the dashboard knows all memcached servers, and waits for one', async () => {
    const memcached = { host: 'memcached', servers: 'm-0.m:11211,m-1.m:11211' };
    const values = { global: { endpoints: { memcached } } };
    assert.ok((await horizonSettings(values)).includes(`'LOCATION': ["m-0.m:11211", "m-1.m:11211"]`));
    const dashboard = (await renderedWith('horizon', values)).one('Deployment', 'horizon');
    assert.ok(waitsOf(dashboard).includes('memcached://m-0.m:11211'));
  });

  // Only the rendered files are checked, because the tests have no package of Horizon. Python reads local_settings.py
  // first, then local_settings.d.
  test("the dashboard's file starts with the chart's settings, and writes no key file", async () => {
    const rendered = await renderedWith('horizon', {});
    const files = filesOf(rendered, rendered.one('Deployment', 'horizon'));
    const text = textAt(files, '/etc/openstack-dashboard/local_settings.py') ?? '';
    assert.match(text, /^LOCAL_PATH = '\/tmp'$/m);
    assert.doesNotMatch(text, /secret_key|^SECRET/m);
  });

  test("cinder-backup also has the volumes' key, since it reads them", async () => {
    const rendered = await renderedWith('cinder', {});
    const { config_files: entries } = configJsonOf(filesOf(rendered, rendered.one('StatefulSet', 'cinder-backup')));
    const keys = entries.map(({ dest }) => dest).filter((dest) => dest.endsWith('.keyring'));
    assert.deepEqual(keys, ['/etc/ceph/ceph.client.cinder-backup.keyring', '/etc/ceph/ceph.client.cinder.keyring']);
  });

  for (const section of PRIVSEP)
    test(`in restricted Pods cinder-volume need not become root for ${section}`, async () => {
      const text = configOf(await renderedWith('cinder', {}), '/etc/cinder/cinder.conf');
      assert.equal(osloOption(text, section, 'capabilities'), '');
      const command = 'privsep-helper --config-file /etc/cinder/cinder.conf';
      assert.equal(osloOption(text, section, 'helper_command'), command);
    });

  test("cinder.conf does not override privsep's helper command if a Pod is exempt from restricted", async () => {
    for (const key of ['volume', 'backup']) {
      const workloads = { [key]: { restricted: { exempt: 'uses devices of its node' } } };
      const text = configOf(await renderedWith('cinder', { workloads }), '/etc/cinder/cinder.conf');
      assert.doesNotMatch(text, /helper_command|privsep|sys_admin/, key);
    }
  });

  test('Keystone is in its own catalogue under the public address too', async () => {
    const publicUrl = async (global: object, bootstrap = {}) => {
      const rendered = await renderedWith('keystone', { global, bootstrap });
      const { env } = rendered.one('Job', 'keystone-bootstrap-')['spec'].template.spec.containers[0];
      return env.find(({ name }: { name: string }) => name === 'OS_BOOTSTRAP_PUBLIC_URL').value;
    };
    assert.equal(
      await publicUrl({ publicUrl: 'https://api.example.com:{port}{path}' }),
      'https://api.example.com:5000/v3',
    );
    assert.equal(await publicUrl({ publicUrl: 'https://{name}.example.com/' }), 'https://keystone.example.com/v3');
    assert.equal(await publicUrl({}), 'http://keystone:5000/v3');
    const own = 'https://id.example.com/v3';
    assert.equal(await publicUrl({ publicUrl: 'https://x:{port}' }, { publicUrl: own }), own);
    const said = await complaint('keystone', { global: { publicUrl: 'https://{type}.example.com' } });
    assert.match(said, /global\.publicUrl: https:\/\/\{type\}\.example\.com: charts know \{name\}/);
  });

  test("Keystone's non-default options are rendered, lists as one line per item", async () => {
    const settings = {
      extra: { token: { expiration: 7200 } },
      conf: { 'keystone.conf': { cors: { allowed_origin: ['https://a', 'https://b'] } } },
    };
    const text = configOf(await renderedWith('keystone', { settings }), '/etc/keystone/keystone.conf');
    assert.equal(osloOption(text, 'token', 'expiration'), '7200');
    assert.match(text, /^\[cors\]\nallowed_origin = https:\/\/a\nallowed_origin = https:\/\/b$/m);
  });

  test('a compute node has a driver and its own address, and no connection to a database', async () => {
    const rendered = await renderedWith('nova-compute', {});
    const compute = rendered.one('DaemonSet', 'nova-compute');
    const text = textAt(filesOf(rendered, compute), '/etc/nova/nova.conf') ?? '';
    assert.equal(osloOption(text, 'DEFAULT', 'compute_driver'), 'libvirt.LibvirtDriver');
    assert.doesNotMatch(text, /^\[(?:api_)?database\]|mysql/m);
    const overlay = podYamlOf(rendered, compute).overlays?.ini ?? [];
    assert.deepEqual(overlay, [{ file: '/etc/nova/nova.conf', key: 'my_ip', value: '$(HOST_IP)' }]);
    assert.ok(!waitsOf(compute).some((wait) => wait.startsWith('mysql:')));
  });

  test("a compute node waits for its libvirtd, unless it is the node's own, and for its switch's agent", async () => {
    const podWaits = async (values: object) =>
      waitsOf((await renderedWith('nova-compute', values)).one('DaemonSet', 'nova-compute')).filter((wait) =>
        wait.includes('node=own'),
      );
    const labels = (chart: string, component: string) =>
      `pod?label=app.kubernetes.io/name=${chart}&label=app.kubernetes.io/component=${component}&node=own`;
    const agent = `!${labels('neutron', 'openvswitch-agent')}&condition=Ready=False`;
    assert.deepEqual(await podWaits({}), [labels('nova-compute', 'libvirt'), agent]);
    assert.deepEqual(await podWaits({ workloads: { libvirt: { enabled: false } } }), [agent]);
  });

  // Only the rendered files are checked, because the tests have no packages of Cinder and Neutron.
  test("cinder's service_user has no region_name, which no release supports", async () => {
    const text = configOf(await renderedWith('cinder', {}), '/etc/cinder/cinder.conf');
    assert.equal(osloOption(text, 'service_user', 'username'), 'cinder');
    assert.equal(osloOption(text, 'service_user', 'region_name'), undefined);
    assert.equal(osloOption(text, 'nova', 'region_name'), 'RegionOne');
  });

  test('neutron finds api-paste.ini next to neutron.conf, its default', async () => {
    const text = configOf(await renderedWith('neutron', {}), '/etc/neutron/neutron.conf');
    assert.equal(osloOption(text, 'DEFAULT', 'api_paste_config'), undefined);
  });

  test('settings.ceph: false removes everything about Ceph from cinder', async () => {
    const settings = { ceph: false, backends: { nfs: { volume_driver: 'cinder.volume.drivers.nfs.NfsDriver' } } };
    const rendered = await renderedWith('cinder', { settings, workloads: { backup: { enabled: false } } });
    assert.doesNotMatch(JSON.stringify(rendered.all), /ceph/i);
    const text = configOf(rendered, '/etc/cinder/cinder.conf');
    assert.doesNotMatch(text, /ceph/i);
    assert.equal(osloOption(text, 'DEFAULT', 'enabled_backends'), 'nfs');
    assert.match(await complaint('cinder', { settings: { ceph: false } }), /settings\.backends needs another backend/);
    assert.match(await complaint('cinder', { settings }), /settings\.backup needs another backup_driver/);
  });

  test("no super-conductor consumes from a cell's virtual host", async () => {
    const names = async (values: object) =>
      workloadsOf(await renderedWith('nova', values)).map(({ metadata }) => metadata.name);
    assert.deepEqual((await names({})).toSorted(), ['nova-api', 'nova-metadata', 'nova-scheduler']);
    const charts = { nova: { workloads: { 'super-conductor': { enabled: true } } } };
    assert.ok((await names({ global: { charts } })).includes('nova-super-conductor'));
    assert.match(await complaint('nova-cell', { global: { charts } }), /settings\.virtualHost: nova's super-conductor/);
    assert.match(await complaint('nova-compute', { global: { charts } }), /settings\.virtualHost: nova's super-/);
    for (const chart of ['nova-cell', 'nova-compute']) {
      const own = await renderedWith(chart, { global: { charts }, settings: { virtualHost: 'cell1' } });
      for (const one of [...workloadsOf(own).filter((each) => keyOf(each) !== 'libvirt'), ...own.of('Job')]) {
        const text = textAt(filesOf(own, one), '/etc/nova/nova.conf') ?? '';
        assert.match(osloOption(text, 'DEFAULT', 'transport_url') ?? '', /@rabbitmq:5672\/cell1$/, one.metadata.name);
      }
    }
    const broker = await renderedWith('nova-cell', { global: { charts }, settings: { virtualHost: '/' } });
    assert.match(osloOption(configOf(broker, '/etc/nova/nova.conf'), 'DEFAULT', 'transport_url') ?? '', /:5672\/\/$/);
  });

  const rolled = (chart: string, workload: string) =>
    `!pod?label=app.kubernetes.io/name=${chart}&label=app.kubernetes.io/component=${workload}` +
    '&label=app.kubernetes.io/version!=2026.1';

  test("Neutron's agents start after the RPC servers are of their release: an older one rejects what they report", async () => {
    const neutron = await renderedWith('neutron', { global: { tag: '2026.1' } });
    const waiting = workloadsOf(neutron).filter((one) => waitsOf(one).includes(rolled('neutron', 'rpc-server')));
    const agents = workloadsOf(neutron).filter((one) => keyOf(one).endsWith('-agent'));
    assert.ok(agents.length >= 4);
    assert.deepEqual(waiting, agents);
  });

  test("Cinder's schedulers start beside a cinder-volume of their release: at its start one fails what none has taken over", async () => {
    const ready = 'pod?label=app.kubernetes.io/name=cinder&label=app.kubernetes.io/component=volume';
    const waiting = async (values: object) => {
      const cinder = await renderedWith('cinder', { global: { tag: '2026.1' }, ...values });
      return workloadsOf(cinder).flatMap((one) =>
        waitsOf(one)
          .filter((wait) => wait === ready || wait === rolled('cinder', 'volume'))
          .map((wait) => [keyOf(one), wait]),
      );
    };
    assert.deepEqual(await waiting({}), [
      ['scheduler', rolled('cinder', 'volume')],
      ['scheduler', ready],
    ]);
    const elsewhere = { workloads: { volume: { enabled: false } } };
    assert.deepEqual(await waiting(elsewhere), [['scheduler', rolled('cinder', 'volume')]]);
  });

  test("Nova's services roll in its order: schemas, conductors, API and scheduler, compute nodes", async () => {
    const values = {
      global: { tag: '2026.1', charts: { nova: { workloads: { 'super-conductor': { enabled: true } } } } },
    };
    const nova = await renderedWith('nova', values);
    for (const one of workloadsOf(nova)) {
      const wanted = [rolled('nova', 'super-conductor'), rolled('nova-cell', 'conductor')];
      const waits = waitsOf(one).filter((wait) => wait.startsWith('!pod?'));
      assert.deepEqual(waits, keyOf(one) === 'super-conductor' ? [] : wanted, one.metadata.name);
    }
    const cell = await renderedWith('nova-cell', { ...values, settings: { virtualHost: '/' } });
    assert.ok(waitsOf(cell.one('Job', 'nova-cell-bootstrap-')).includes('db-sync/nova?release=2026.1'));
    await using nodes = await rendering('nova-compute');
    const { all } = await nodes.render({ ...values, settings: { virtualHost: '/' } }, ['--is-upgrade']);
    const before = all.find(
      ({ kind, metadata }) => kind === 'Job' && metadata.name.startsWith('nova-compute-upgrade-'),
    );
    assert.deepEqual(waitsOf(before!), [rolled('nova', 'api'), rolled('nova', 'scheduler')]);
    // The waits select by labels that those Pods have.
    for (const [rendered, chart, workload] of [
      [nova, 'nova', 'super-conductor'],
      [nova, 'nova', 'scheduler'],
      [nova, 'nova', 'api'],
      [cell, 'nova-cell', 'conductor'],
    ] as const) {
      const one = workloadsOf(rendered).find((each) => keyOf(each) === workload)!;
      const { labels } = one['spec'].template.metadata as KubeObject['metadata'];
      assert.equal(labels['app.kubernetes.io/name'], chart);
      assert.equal(labels['app.kubernetes.io/version'], '2026.1');
    }
  });

  test('service records do not use the name of a Pod as their host', async () => {
    const found: Record<string, string> = {};
    for (const chart of ['nova', 'nova-cell', 'cinder', 'neutron']) {
      const rendered = await renderedWith(chart, {});
      for (const one of workloadsOf(rendered)) {
        const host = (podYamlOf(rendered, one).overlays?.ini ?? []).find(({ key }) => key === 'host');
        if (host !== undefined) found[one.metadata.name] = host.value;
      }
    }
    assert.deepEqual(found, {
      'cinder-scheduler': 'cinder-scheduler',
      'neutron-metadata-agent': '$(NODE_NAME)',
      'nova-api': 'nova-api',
      'nova-cell-conductor': 'nova-conductor',
      'nova-metadata': 'nova-metadata',
      'nova-scheduler': 'nova-scheduler',
    });
  });

  for (const agent of ['openvswitch-agent', 'dhcp-agent', 'l3-agent', 'metadata-agent']) {
    test(`neutron's ${agent} has the queue, and no connection to the database`, async () => {
      const rendered = await renderedWith('neutron', {});
      const text = textAt(
        filesOf(rendered, rendered.one('DaemonSet', `neutron-${agent}`)),
        '/etc/neutron/neutron.conf',
      );
      assert.match(osloOption(text ?? '', 'DEFAULT', 'transport_url') ?? '', /^rabbit:/);
      assert.doesNotMatch(text ?? '', /mysql|_authtoken|^password/m);
    });
  }

  test('a multi-valued option is repeated, in the order of its list', async () => {
    const conf = { 'nova.conf': { pci: { alias: ['{"name":"a"}', '{"name":"b"}'] } } };
    const text = configOf(await renderedWith('nova', { settings: { conf } }), '/etc/nova/nova.conf');
    const lines = osloLines(text).filter(({ section, kind }) => section === 'pci' && kind === 'option');
    assert.deepEqual(
      lines.map((line) => line.text),
      ['alias = {"name":"a"}', 'alias = {"name":"b"}'],
    );
  });

  test('options for a file unknown to the chart are rejected, with the known names', async () => {
    const said = await complaint('neutron', { settings: { conf: { 'neutron.cfg': { DEFAULT: { debug: true } } } } });
    assert.match(
      said,
      /settings\.conf\.neutron\.cfg: the chart has no such file; it has dhcp_agent\.ini, .*neutron\.conf/,
    );
    const uwsgi = await complaint('neutron', { settings: { conf: { 'neutron-server-uwsgi.ini': {} } } });
    assert.match(uwsgi, /the chart has no such file/);
  });

  for (const [chart, settings, place] of [
    ['glance', { stores: { fast: { options: {} } } }, 'settings.stores.fast: say type'],
    ['nova', { schedulerWorker: 2 }, "'/settings': additional properties 'schedulerWorker' not allowed"],
    ['nova', { extra: 'debug' }, "'/settings/extra': got string, want null or object"],
    ['cinder', { backends: null }, 'settings.backends: null removes it, and the chart needs it'],
    ['neutron', { physicalNetworks: ['br-ex'] }, "'/settings/physicalNetworks': got array, want null or object"],
    ['keystone', { procesess: 4 }, "'/settings': additional properties 'procesess' not allowed"],
    ['horizon', { behindTls: 'yes' }, "'/settings/behindTls': got string, want null or boolean"],
  ] as const)
    test(`settings that ${chart} cannot use are rejected with their location: ${JSON.stringify(settings)}`, async () => {
      const said = await complaint(chart, { settings });
      assert.ok(said.includes(place), said);
    });
});
