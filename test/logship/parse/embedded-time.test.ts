import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../../src/logship/time/clock.ts';
import { embeddedTime } from '../../../src/logship/parse/embedded-time.ts';
import { zoneNamed } from '../../../src/logship/time/zone.ts';

const NEAR_MS = Date.UTC(2026, 10, 21);

function read(line: string): string | undefined {
  const ms = embeddedTime(line, new Clock(zoneNamed('+01:00')), NEAR_MS);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

for (const [program, line] of [
  ['an exporter with slog', 'time=2026-11-20T08:15:42.123Z level=INFO source=node_exporter.go:216 msg="Starting"'],
  ['an exporter with go-kit', 'ts=2026-11-20T08:15:42.123Z caller=main.go:186 level=info msg="Listening on"'],
  ['an exporter with another order', 'level=info ts=2026-11-20T08:15:42.123Z caller=main.go:186 msg=x'],
  [
    'an exporter with logrus',
    'time="2026-11-20T09:15:42.123+01:00" level=info msg="no time=2020-01-01T00:00:00Z" source="x.go:1"',
  ],
  ['Grafana', 'logger=settings t=2026-11-20T08:15:42.123456789Z level=info msg="Starting Grafana" version=12.0'],
  [
    'etcd',
    '{"level":"info","ts":"2026-11-20T08:15:42.123456Z","caller":"etcdmain/etcd.go:73","msg":"Running: ","args":["etcd"]}',
  ],
  [
    'etcd with an offset',
    '{"level":"warn","ts":"2026-11-20T03:15:42.123-0500","caller":"x.go:1","msg":"a \\"ts\\":1"}',
  ],
  ['JSON with seconds', '{"level":"info","ts":1795162542.123,"msg":"x"}'],
  ['JSON with milliseconds', '{"time":1795162542123,"msg":"x"}'],
  ['JSON with nanoseconds', '{"ts":"1795162542123000000","msg":"x"}'],
  ['OpenSearch Dashboards', '{"type":"log","@timestamp":"2026-11-20T08:15:42.123Z","tags":["info"],"pid":7}'],
  ['OpenSearch', '[2026-11-20T09:15:42,123][INFO ][o.o.n.Node               ] [os-1] started'],
  ['gunicorn', '[2026-11-20 08:15:42.123 +0000] [7] [INFO] Booting worker with pid: 9'],
  ['fluentd', '2026-11-20 10:15:42.123 +0200 [info]: #0 fluentd worker is now running worker=0'],
  ['PostgreSQL', '2026-11-20 11:15:42.123 +03 [7] LOG:  database system is ready'],
  ['PostgreSQL in UTC', '2026-11-20 08:15:42.123 UTC [7] LOG:  database system is ready'],
  ['a short offset', '2026-11-20T10:15:42.123+02 x'],
  ["Go's time", '2026-11-20 08:15:42.123456789 +0000 UTC m=+0.012 x'],
  ["Go's package log", '2026/11/20 09:15:42.123456 http: TLS handshake error'],
  ['klog', 'I1120 09:15:42.123456       1 manager.go:163] cAdvisor running'],
  ['keepalived', 'Fri Nov 20 09:15:42.123 2026: (kolla_internal_vip_51) Entering MASTER STATE'],
  ['Apache', '[Fri Nov 20 09:15:42.123456 2026] [core:notice] [pid 7] AH00094: Command line'],
] as const)
  test(`the time of ${program} is read`, () => assert.equal(read(line), '2026-11-20T08:15:42.123Z'));

for (const [program, line] of [
  ['keepalived', 'Fri Nov 20 09:15:42 2026: Starting VRRP child process, pid=7'],
  ['multipathd', 'Nov 20 09:15:42 host multipathd[7]: sda: path checker started'],
  ['a syslog daemon', '<30>Nov 20 09:15:42 dnsmasq[7]: started'],
] as const)
  test(`the time of ${program}, without a fraction, is read`, () =>
    assert.equal(read(line), '2026-11-20T08:15:42.000Z'));

for (const line of [
  'WSGI app 0 ready in 2 seconds',
  'time=5ms level=info',
  'the request took time=2026-11-20T08:15:42Z or so',
  '{"ts":"soon","msg":"x"}',
  '{"ts":12,"msg":"x"}',
  '{"ts":"2026-11-20T08:15:42Z"',
  '[2026-13-20T08:15:42,123][INFO ] x',
  'I1320 09:15:42.123456 1 x.go:1] y',
  '',
])
  test(`'${line}' has no time`, () => assert.equal(read(line), undefined));
