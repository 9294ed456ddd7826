import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../../src/logship/time/clock.ts';
import type { Fields } from '../../../src/logship/parse/format.ts';
import { FORMATS, kindOf, type FormatName } from '../../../src/logship/parse/formats.ts';
import { zoneNamed } from '../../../src/logship/time/zone.ts';

interface Case {
  readonly format: FormatName;
  readonly is: string;
  readonly line: string;
  /** Times are in UTC; the time zone of the logs is an hour ahead. */
  readonly time: string | undefined;
  readonly fields: Fields | undefined;
}

const REQUEST = { method: 'GET', path: '/v3/auth', protocol: 'HTTP/1.1' };

const CASES: readonly Case[] = [
  {
    format: 'uwsgi',
    is: 'a request',
    line: '[pid: 21|app: 0|req: 3/17] 10.0.0.5 () {58 vars in 1023 bytes} [Fri Nov 20 08:15:42 2026] GET /v3 => generated 259 bytes in 4 msecs (HTTP/1.1 200)',
    time: '2026-11-20T07:15:42.000Z',
    fields: {
      Pid: '21',
      App: '0',
      Req: '3/17',
      Address: '10.0.0.5',
      User: '',
      Vars: '58',
      Bytes: '1023',
      Timestamp: 'Fri Nov 20 08:15:42 2026',
      Payload: 'GET /v3 => generated 259 bytes in 4 msecs (HTTP/1.1 200)',
    },
  },
  {
    format: 'uwsgi',
    is: 'a message of uWSGI itself',
    line: 'WSGI app 0 (mountpoint="") ready in 2 seconds on interpreter 0x55 pid: 21 (default app)',
    time: undefined,
    fields: { Payload: 'WSGI app 0 (mountpoint="") ready in 2 seconds on interpreter 0x55 pid: 21 (default app)' },
  },
  {
    format: 'apache-access',
    is: "Kolla's, with a forwarded client",
    line: '10.0.0.5, 10.0.0.6 - admin [20/Nov/2026:08:15:42 +0200] "GET /v3/auth HTTP/1.1" 200 512 1234 "-" "curl/8 \\"x\\""',
    time: '2026-11-20T06:15:42.000Z',
    fields: {
      Payload:
        '10.0.0.5, 10.0.0.6 - admin [20/Nov/2026:08:15:42 +0200] "GET /v3/auth HTTP/1.1" 200 512 1234 "-" "curl/8 \\"x\\""',
      client: '10.0.0.5, 10.0.0.6',
      user: 'admin',
      ...REQUEST,
      status: 200,
      bytes: 512,
      duration_us: 1234,
      agent: 'curl/8 \\"x\\"',
    },
  },
  {
    format: 'apache-access',
    is: 'common, without an answer',
    line: '::1 - - [20/Nov/2026:08:15:42 -0130] "\\x16\\x03" 400 -',
    time: '2026-11-20T09:45:42.000Z',
    fields: {
      Payload: '::1 - - [20/Nov/2026:08:15:42 -0130] "\\x16\\x03" 400 -',
      client: '::1',
      request: '\\x16\\x03',
      status: 400,
      bytes: 0,
    },
  },
  {
    format: 'apache-access',
    is: 'combined',
    line: '10.0.0.5 - - [20/Nov/2026:08:15:42 +0000] "GET /v3/auth HTTP/1.1" 304 0 "http://a/" "b"',
    time: '2026-11-20T08:15:42.000Z',
    fields: {
      Payload: '10.0.0.5 - - [20/Nov/2026:08:15:42 +0000] "GET /v3/auth HTTP/1.1" 304 0 "http://a/" "b"',
      client: '10.0.0.5',
      ...REQUEST,
      status: 304,
      bytes: 0,
      referer: 'http://a/',
      agent: 'b',
    },
  },
  { format: 'apache-access', is: 'no access line', line: 'nothing of that', time: undefined, fields: undefined },
  {
    format: 'apache-error',
    is: "Kolla's",
    line: '2026-11-20 08:15:42.123456 AH00489: Apache configured',
    time: '2026-11-20T07:15:42.123Z',
    fields: { Payload: '2026-11-20 08:15:42.123456 AH00489: Apache configured' },
  },
  {
    format: 'apache-error',
    is: "Apache's own",
    line: '[Fri Nov 20 08:15:42.123456 2026] [wsgi:error] [pid 21:tid 139] [client 10.0.0.5:4711] no',
    time: '2026-11-20T07:15:42.123Z',
    fields: {
      Payload: '[Fri Nov 20 08:15:42.123456 2026] [wsgi:error] [pid 21:tid 139] [client 10.0.0.5:4711] no',
      module: 'wsgi',
      log_level: 'error',
      Pid: '21',
      tid: '139',
      client: '10.0.0.5:4711',
    },
  },
  {
    format: 'apache-error',
    is: "nginx's",
    line: '2026/11/20 08:15:42 [warn] 12#0: *1 a client request body is buffered',
    time: '2026-11-20T07:15:42.000Z',
    fields: {
      Payload: '2026/11/20 08:15:42 [warn] 12#0: *1 a client request body is buffered',
      log_level: 'warn',
      Pid: '12',
    },
  },
  {
    format: 'mariadb',
    is: 'the server',
    line: '2026-11-20  8:15:42 37 [Warning] Aborted connection 37 to db: nova',
    time: '2026-11-20T07:15:42.000Z',
    fields: {
      timestamp: '2026-11-20  8:15:42',
      Payload: '37 [Warning] Aborted connection 37 to db: nova',
      log_level: 'Warning',
    },
  },
  {
    format: 'mariadb',
    is: 'mysqld_safe',
    line: '261120 08:15:42 mysqld_safe Starting mariadbd daemon',
    time: '2026-11-20T07:15:42.000Z',
    fields: { timestamp: '261120 08:15:42', Payload: 'mysqld_safe Starting mariadbd daemon' },
  },
  {
    format: 'mariadb',
    is: 'a crash of the server',
    line: '261120  8:15:42 [ERROR] mysqld got signal 11 ;',
    time: '2026-11-20T07:15:42.000Z',
    fields: { timestamp: '261120  8:15:42', Payload: '[ERROR] mysqld got signal 11 ;', log_level: 'ERROR' },
  },
  {
    format: 'mariadb',
    is: 'a state transfer of Galera',
    line: 'WSREP_SST: [INFO] Streaming with mbstream (20261120 08:15:42.123)',
    time: '2026-11-20T07:15:42.123Z',
    fields: {
      log_level: 'INFO',
      timestamp: '20261120 08:15:42.123',
      Payload: 'WSREP_SST: [INFO] Streaming with mbstream (20261120 08:15:42.123)',
    },
  },
  {
    format: 'mariadb',
    is: 'a state transfer, followed by what a command prints',
    line: 'WSREP_SST: [WARNING] two\nlines (20261120 08:15:42.123)\nx: line 1: gzip: command not found (1)',
    time: '2026-11-20T07:15:42.123Z',
    fields: {
      log_level: 'WARNING',
      timestamp: '20261120 08:15:42.123',
      Payload: 'WSREP_SST: [WARNING] two\nlines (20261120 08:15:42.123)\nx: line 1: gzip: command not found (1)',
    },
  },
  {
    format: 'mariadb',
    is: 'a state transfer without a time',
    line: 'WSREP_SST: Cleaning up',
    time: undefined,
    fields: { Payload: 'WSREP_SST: Cleaning up' },
  },
  {
    format: 'xinetd',
    is: 'a start',
    line: '26/11/20@8:15:42: START: mysqlchk from=10.0.0.5',
    time: '2026-11-20T07:15:42.000Z',
    fields: { Timestamp: '26/11/20@8:15:42', Payload: 'START: mysqlchk from=10.0.0.5' },
  },
  {
    format: 'rabbitmq',
    is: 'a line with its zone',
    line: '2026-11-20 08:15:42.123456+00:00 [info] <0.734.0> accepting AMQP connection',
    time: '2026-11-20T08:15:42.123Z',
    fields: {
      Timestamp: '2026-11-20 08:15:42.123456+00:00',
      log_level: 'info',
      Payload: '<0.734.0> accepting AMQP connection',
    },
  },
  {
    format: 'rabbitmq',
    is: 'a line without a zone',
    line: '2026-11-20 08:15:42.123 [warning] x',
    time: '2026-11-20T07:15:42.123Z',
    fields: { Timestamp: '2026-11-20 08:15:42.123', log_level: 'warning', Payload: 'x' },
  },
  {
    format: 'libvirt',
    is: 'a line',
    line: '2026-11-20 08:15:42.123+0530: 4711: error : qemuMonitorIO:612 : internal error',
    time: '2026-11-20T02:45:42.123Z',
    fields: {
      Timestamp: '2026-11-20 08:15:42.123+0530',
      Pid: '4711',
      log_level: 'error',
      Payload: 'qemuMonitorIO:612 : internal error',
    },
  },
  {
    format: 'openvswitch',
    is: 'a line',
    line: '2026-11-20T08:15:42.123Z|00012|bridge|INFO|bridge br-int: added',
    time: '2026-11-20T08:15:42.123Z',
    fields: { sequence: '00012', module: 'bridge', log_level: 'INFO', Payload: 'bridge br-int: added' },
  },
  {
    format: 'openvswitch',
    is: 'a line of a thread',
    line: '2026-11-20T08:15:42.123Z|00001|ofproto_dpif_upcall(handler1)|WARN|a|b',
    time: '2026-11-20T08:15:42.123Z',
    fields: { sequence: '00001', module: 'ofproto_dpif_upcall(handler1)', log_level: 'WARN', Payload: 'a|b' },
  },
  {
    format: 'lego',
    is: 'a line',
    line: '2026/11/20 08:15:42 [INFO] [cloud.example] acme: Obtaining bundled SAN certificate',
    time: '2026-11-20T07:15:42.000Z',
    fields: { log_level: 'INFO', Payload: '[cloud.example] acme: Obtaining bundled SAN certificate' },
  },
  {
    format: 'valkey',
    is: 'a line',
    line: '7:M 20 Nov 2026 08:15:42.123 * Ready to accept connections',
    time: '2026-11-20T07:15:42.123Z',
    fields: {
      Pid: '7',
      Role: 'M',
      Timestamp: '20 Nov 2026 08:15:42.123',
      LogLevel: '*',
      Payload: 'Ready to accept connections',
    },
  },
  {
    format: 'valkey',
    is: 'a signal, without a time',
    line: '7:signal-handler (1795162542) Received SIGTERM',
    time: undefined,
    fields: { Pid: '7', Role: 'signal-handler', Payload: '(1795162542) Received SIGTERM' },
  },
  {
    format: 'haproxy',
    is: 'a request by syslog',
    line: '<134>1 2026-11-20T08:15:42.500Z node haproxy 21 - - 10.0.0.5:4711 [20/Nov/2026:09:15:42.123] keystone_front keystone_back/c1 0/0/1/4/5 200 512 - - ---- 3/1/0/0/0 0/0 "GET /v3/auth HTTP/1.1"',
    time: '2026-11-20T08:15:42.500Z',
    fields: {
      log_level: 'info',
      facility: 'local0',
      Hostname: 'node',
      programname: 'haproxy',
      Pid: '21',
      Payload:
        '10.0.0.5:4711 [20/Nov/2026:09:15:42.123] keystone_front keystone_back/c1 0/0/1/4/5 200 512 - - ---- 3/1/0/0/0 0/0 "GET /v3/auth HTTP/1.1"',
      client: '10.0.0.5',
      client_port: 4711,
      frontend: 'keystone_front',
      backend: 'keystone_back',
      server: 'c1',
      timers: '0/0/1/4/5',
      status: 200,
      bytes: 512,
      request_cookie: '-',
      response_cookie: '-',
      termination_state: '----',
      connections: '3/1/0/0/0',
      queues: '0/0',
      ...REQUEST,
    },
  },
  {
    format: 'haproxy',
    is: 'a bare connection',
    line: 'fd00::5:4711 [20/Nov/2026:09:15:42.123] mariadb mariadb/c1 1/0/5007 3210 -- 3/1/1/1/0 0/0',
    time: '2026-11-20T08:15:42.123Z',
    fields: {
      Payload: 'fd00::5:4711 [20/Nov/2026:09:15:42.123] mariadb mariadb/c1 1/0/5007 3210 -- 3/1/1/1/0 0/0',
      client: 'fd00::5',
      client_port: 4711,
      frontend: 'mariadb',
      backend: 'mariadb',
      server: 'c1',
      timers: '1/0/5007',
      bytes: 3210,
      termination_state: '--',
      connections: '3/1/1/1/0',
      queues: '0/0',
    },
  },
  {
    format: 'haproxy',
    is: 'a message of HAProxy itself, in the older syslog format',
    line: '<133>Nov 20 08:15:42 haproxy[21]: Proxy keystone started.',
    time: '2026-11-20T07:15:42.000Z',
    fields: {
      log_level: 'notice',
      facility: 'local0',
      programname: 'haproxy',
      Pid: '21',
      Payload: 'Proxy keystone started.',
    },
  },
  {
    format: 'syslog',
    is: 'a message with data',
    line: '<13>1 2026-11-20T08:15:42+01:00 node app - ID7 [x@1 k="v"] up',
    time: '2026-11-20T07:15:42.000Z',
    fields: {
      log_level: 'notice',
      facility: 'user',
      Hostname: 'node',
      programname: 'app',
      message_id: 'ID7',
      structured_data: '[x@1 k="v"]',
      Payload: 'up',
    },
  },
  { format: 'syslog', is: 'no syslog line', line: 'hello', time: undefined, fields: undefined },
  {
    format: 'whole',
    is: 'a line with a time and a zone',
    line: '2026-11-20T08:15:42.5Z up',
    time: '2026-11-20T08:15:42.500Z',
    fields: { Payload: '2026-11-20T08:15:42.5Z up' },
  },
  {
    format: 'whole',
    is: 'a line with a time without one',
    line: '2026-11-20 08:15:42,5 up',
    time: '2026-11-20T07:15:42.500Z',
    fields: { Payload: '2026-11-20 08:15:42,5 up' },
  },
];

const NEAR_MS = Date.UTC(2026, 10, 21);

for (const { format, is, line, time, fields } of CASES) {
  test(`${format}: ${is}`, () => {
    const one = FORMATS[format]();
    const ms = one.time(line, new Clock(zoneNamed('+01:00')), NEAR_MS);
    assert.equal(Number.isNaN(ms) ? undefined : new Date(ms).toISOString(), time);
    assert.deepEqual(one.parse(line), fields);
  });
}

test('a time without a year is the nearest one, also across the new year', () => {
  const clock = new Clock(zoneNamed('UTC'));
  const read = (line: string, near: string) =>
    new Date(FORMATS.syslog().time(line, clock, Date.parse(near))).toISOString();
  assert.equal(read('<13>Dec 31 23:59:59 a: b', '2027-01-01T00:00:05Z'), '2026-12-31T23:59:59.000Z');
  assert.equal(read('<13>Jan  1 00:00:01 a: b', '2026-12-31T23:59:59Z'), '2027-01-01T00:00:01.000Z');
  assert.equal(read('<13>Feb 29 12:00:00 a: b', '2028-03-01T00:00:00Z'), '2028-02-29T12:00:00.000Z');
});

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

test('each of the 24 services collected by Kolla is oslo.log', () => {
  const services =
    'aodh barbican blazar ceilometer cinder cloudkitty cyborg designate glance heat horizon ironic keystone magnum ' +
    'manila masakari mistral neutron nova octavia placement tacker trove watcher';
  assert.equal(services.split(' ').length, 24);
  for (const service of services.split(' ')) assert.equal(kindOf(`/l/${service}/x.log`, '/l', []).format, 'oslo');
});
