import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KOLLA_SERVICES } from '../../../src/catalog/kolla-services.ts';
import type { FormatKind } from '../../../src/logship/formats/format.ts';
import { FORMATS, kindOf } from '../../../src/logship/formats/index.ts';
import { loggerOf } from '../../../src/logship/formats/origin.ts';
import { FileFormat } from '../../../src/logship/formats/parser.ts';
import { zoneTableNamed } from '../../../src/logship/time/zone-table.ts';
import { documentOf } from './documents.ts';

for (const [path, format, program] of [
  ['nova/nova-api.log', 'oslo', 'nova-api'],
  ['keystone/keystone.log', 'oslo', 'keystone'],
  ['nova/nova-api-uwsgi.log', 'uwsgi', 'nova-api-uwsgi'],
  ['keystone/keystone-apache-public-access.log', 'apache-access', 'keystone-apache-public-access'],
  ['keystone/apache-error.log', 'apache-error', 'apache-error'],
  ['aodh/aodh_wsgi_access.log', 'apache-access', 'aodh_wsgi_access'],
  ['skyline/skyline-access.log', 'skyline', 'skyline-access'],
  ['skyline/skyline-error.log', 'skyline', 'skyline-error'],
  ['skyline/skyline.log', 'skyline', 'skyline'],
  ['skyline/skyline-nginx-access.log', 'apache-access', 'skyline-nginx-access'],
  ['skyline/skyline-nginx-error.log', 'apache-error', 'skyline-nginx-error'],
  ['neutron/dnsmasq.log', 'whole', 'dnsmasq'],
  ['mariadb/mariadb.log', 'mariadb', 'mariadb'],
  ['mariadb/xinetd.log', 'xinetd', 'xinetd'],
  ['mariadb/mariadb-clustercheck.log', 'whole', 'mariadb-clustercheck'],
  ['rabbitmq/rabbit@c1.log', 'rabbitmq', 'rabbitmq'],
  ['libvirt/libvirtd.log', 'libvirt', 'libvirt'],
  ['openvswitch/ovs-vswitchd.log', 'openvswitch', 'openvswitch'],
  ['openvswitch/ovsdb-server.log', 'openvswitch', 'openvswitchdb'],
  ['openvswitch/ovn-nb-db.log', 'openvswitch', 'ovn_nb_db'],
  ['openvswitch/ovn-sb-relay-2.log', 'openvswitch', 'ovn-sb-relay-2'],
  ['letsencrypt/letsencrypt-lego.log', 'lego', 'letsencrypt'],
  ['letsencrypt/letsencrypt-webserver-access.log', 'apache-access', 'letsencrypt-webserver-access'],
  ['valkey/valkey-sentinel.log', 'valkey', 'valkey'],
  ['haproxy/haproxy.log', 'haproxy', 'haproxy'],
  ['haproxy/haproxy_latest', 'haproxy', 'haproxy'],
  ['syslog/keepalived.log', 'syslog', 'keepalived'],
  ['grafana/grafana.log', 'whole', 'grafana'],
] as const) {
  test(`${path} is ${format} of ${program}`, () => {
    const kind = kindOf(`/var/log/kolla/${path}`, '/var/log/kolla', []);
    assert.deepEqual([kind.format, kind.program], [format, program]);
  });
}

test('directories of formats that are no OpenStack service have no Logger, those of every service have one', () => {
  const loggerIn = (directory: string) => loggerOf(kindOf(`/l/${directory}/x.log`, '/l', []));
  const services = Object.keys(KOLLA_SERVICES);
  for (const service of services) assert.equal(loggerIn(service), `openstack.${service}`);
  const named = Object.values(FORMATS).flatMap((kind: FormatKind) =>
    kind.files.flatMap(({ directory = [] }) => directory),
  );
  const others = named.filter((directory) => !services.includes(directory));
  assert.ok(others.length > 5);
  for (const directory of others) assert.equal(loggerIn(directory), undefined, directory);
});

test('each of the 24 services collected by Kolla is oslo.log', () => {
  const services =
    'aodh barbican blazar ceilometer cinder cloudkitty cyborg designate glance heat horizon ironic keystone magnum ' +
    'manila masakari mistral neutron nova octavia placement tacker trove watcher';
  assert.equal(services.split(' ').length, 24);
  for (const service of services.split(' ')) assert.equal(kindOf(`/l/${service}/x.log`, '/l', []).format, 'oslo');
});

const ORIGIN = { hostname: 'h', pod: 'p-1', namespace: 'ns', node: 'n1', container: 'c', labels: { 'a.b': 'x' } };
const OPTIONS = { root: '/l', origin: ORIGIN, zone: zoneTableNamed('UTC') };

test("the Pod's metadata is in the documents of both schemas", () => {
  using kolla = new FileFormat('/l/grafana/grafana.log', OPTIONS);
  const kubernetes = {
    pod_name: 'p-1',
    namespace_name: 'ns',
    host: 'n1',
    container_name: 'c',
    labels: { a_b: 'x' },
  };
  assert.deepEqual(documentOf(kolla, 'up', 0), {
    '@timestamp': '1970-01-01T00:00:00.000Z',
    Payload: 'up',
    Hostname: 'h',
    Logger: 'openstack.grafana',
    programname: 'grafana',
    kubernetes,
  });
  using ecs = new FileFormat('/l/grafana/grafana.log', { ...OPTIONS, schema: 'ecs' });
  assert.deepEqual(documentOf(ecs, 'up', 0), {
    '@timestamp': '1970-01-01T00:00:00.000Z',
    message: 'up',
    'ecs.version': '8.17.0',
    'host.name': 'h',
    'service.name': 'grafana',
    'service.type': 'openstack.grafana',
    'event.dataset': 'whole',
    'log.file.path': '/l/grafana/grafana.log',
    'orchestrator.type': 'kubernetes',
    'orchestrator.namespace': 'ns',
    'kubernetes.pod.name': 'p-1',
    'kubernetes.namespace': 'ns',
    'kubernetes.node.name': 'n1',
    'container.name': 'c',
    'kubernetes.labels.a_b': 'x',
  });
});

test("a host and a program that the line names take precedence, but HAProxy's program is that of the file", () => {
  const line = '<30>1 2026-11-20T08:15:42.123Z lb1 keepalived 12 - - x';
  const named = (path: string, schema: 'kolla' | 'ecs') => {
    using format = new FileFormat(path, { ...OPTIONS, schema });
    const document = documentOf(format, line, 0) as Record<string, unknown>;
    return schema === 'kolla'
      ? [document['Hostname'], document['programname']]
      : [document['host.name'], document['service.name']];
  };
  assert.deepEqual(named('/l/syslog/a.log', 'kolla'), ['lb1', 'keepalived']);
  assert.deepEqual(named('/l/syslog/a.log', 'ecs'), ['lb1', 'keepalived']);
  assert.deepEqual(named('/l/haproxy/a.log', 'kolla'), ['lb1', 'haproxy']);
  assert.deepEqual(named('/l/haproxy/a.log', 'ecs'), ['lb1', 'keepalived']);
});

test('raw lines are whole, each alone', () => {
  using format = new FileFormat('/l/nova/nova-api.log', { ...OPTIONS, schema: 'raw' });
  assert.equal(format.hasContinuations, false);
  assert.deepEqual(documentOf(format, '2026-11-20 08:15:42.123 7 INFO nova [-] "up"', 0), {
    '@timestamp': '1970-01-01T00:00:00.000Z',
    message: '2026-11-20 08:15:42.123 7 INFO nova [-] "up"',
    'log.file.path': '/l/nova/nova-api.log',
  });
});
