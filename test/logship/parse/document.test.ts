import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventParser, type ParserOptions } from '../../../src/logship/parse/document.ts';
import { zoneNamed } from '../../../src/logship/time/zone.ts';

const origin = { hostname: 'c1', pod: 'p-1', namespace: 'openstack', node: undefined };
const root = '/var/log/kolla';

/** The document for an event in that file. */
function document(path: string, text: string, options: Partial<ParserOptions> & { lastMs?: number } = {}) {
  const { lastMs = 0, ...others } = options;
  const parser = new EventParser(path, { root, origin, zone: zoneNamed('+01:00'), ...others });
  const ms = parser.timeOf(text, lastMs, NaN);
  const isDated = !Number.isNaN(ms);
  const { source, day } = parser.parse({ text, timeMs: isDated ? ms : lastMs, isDated });
  const fields = JSON.parse(source) as Record<string, unknown>;
  assert.equal(String(fields['@timestamp']).slice(0, 10), day);
  return fields;
}

const nova = (text: string, options = {}) => document(`${root}/nova/nova-api.log`, text, options);

test("a file's path determines service and program, as in Kolla", () => {
  assert.deepEqual(nova('2026-11-20 00:30:00.250 7 INFO nova [-] up'), {
    '@timestamp': '2026-11-19T23:30:00.250Z',
    Timestamp: '2026-11-20 00:30:00.250',
    Pid: '7',
    log_level: 'INFO',
    python_module: 'nova',
    Payload: '[-] up',
    Hostname: 'c1',
    Logger: 'openstack.nova',
    programname: 'nova-api',
    kubernetes: { pod_name: 'p-1', namespace_name: 'openstack' },
  });
});

test("the Pod's container and labels are in every document, without dots that a server would treat as objects", () => {
  const { kubernetes } = nova('x', { origin: { ...origin, container: 'logs', labels: { app: 'nova', 'a.b/c': 'd' } } });
  assert.deepEqual(kubernetes, {
    pod_name: 'p-1',
    namespace_name: 'openstack',
    container_name: 'logs',
    labels: { app: 'nova', 'a_b/c': 'd' },
  });
});

test('a service outside OpenStack has no Logger', () => {
  assert.equal('Logger' in document(`${root}/mariadb/mariadb.log`, 'x'), false);
});

test("outside the root the file's directory is the service", () => {
  assert.equal(document('/tmp/x/glance/api.log', 'x')['Logger'], 'openstack.glance');
});

test('a line without a timestamp is entirely payload, takes the previous time, and is marked', () => {
  const text = '  File "a.py", "\u0000 \\';
  const { '@timestamp': time, Payload, Hostname, parse_error: mark } = nova(text, { lastMs: Date.UTC(2026, 0, 2) });
  assert.deepEqual([time, Payload, Hostname, mark], ['2026-01-02T00:00:00.000Z', text, 'c1', true]);
});

test('a line with an impossible timestamp is entirely payload, and is marked', () => {
  for (const text of ['2026-99-20 00:30:00.250 7 INFO nova [-] up', '2026-02-30 00:30:00.250 7 INFO nova [-] up']) {
    const { Payload, parse_error: mark, Timestamp } = nova(text);
    assert.deepEqual([Payload, mark, Timestamp], [text, true, undefined]);
  }
});

test('a file without a known format has no parse errors', () => {
  assert.deepEqual(Object.keys(document('/srv/app/app.log', 'hello')), [
    '@timestamp',
    'Payload',
    'Hostname',
    'Logger',
    'programname',
    'kubernetes',
  ]);
});

test('the last --format that matches a path applies', () => {
  const formats = [
    { glob: '/srv/**', format: 'whole' },
    { glob: '/srv/*/api.log', format: 'oslo' },
  ] as const;
  assert.equal(document('/srv/x/api.log', '2026-11-20 00:30:00.250 7 INFO m [-] up', { formats })['Pid'], '7');
  assert.equal(document('/srv/x/y.log', '2026-11-20 00:30:00.250 7 INFO m [-] up', { formats })['Pid'], undefined);
});

test('raw documents are the line, its time and its file', () => {
  assert.deepEqual(nova('2026-11-20 00:30:00.250 7 INFO nova [-] "up"', { schema: 'raw' }), {
    '@timestamp': '2026-11-19T23:30:00.250Z',
    message: '2026-11-20 00:30:00.250 7 INFO nova [-] "up"',
    'log.file.path': '/var/log/kolla/nova/nova-api.log',
  });
});

test('in ECS each field has its place, and numbers are numbers', () => {
  const text = '2026-11-20 00:30:00.250 7 INFO nova.api [req-1 req-2 u t - - d d] Took 3 s';
  assert.deepEqual(nova(text, { schema: 'ecs', origin: { ...origin, labels: { 'a.b': 'c' } } }), {
    '@timestamp': '2026-11-19T23:30:00.250Z',
    'ecs.version': '8.17.0',
    'host.name': 'c1',
    'service.name': 'nova-api',
    'service.type': 'openstack.nova',
    'event.dataset': 'oslo',
    'log.file.path': '/var/log/kolla/nova/nova-api.log',
    'orchestrator.type': 'kubernetes',
    'orchestrator.namespace': 'openstack',
    'kubernetes.pod.name': 'p-1',
    'kubernetes.namespace': 'openstack',
    'kubernetes.labels.a_b': 'c',
    'process.pid': 7,
    'log.level': 'INFO',
    'log.logger': 'nova.api',
    'labels.global_request_id': '1',
    'http.request.id': '2',
    'user.id': 'u',
    'labels.tenant_id': 't',
    'labels.domain_id': '-',
    'labels.system_scope': '-',
    'labels.user_domain': 'd',
    'labels.project_domain': 'd',
    message: 'Took 3 s',
  });
});

test('in ECS a traceback is a stack trace without the prefixes of its lines', () => {
  const head = '2026-11-20 00:30:00.250 7 ERROR nova.api';
  const text = `${head} [-] Failed: E: no\n${head} Traceback (most recent call last):\n${head}   File "a.py", line 1\n${head} E: no\n${head} `;
  const { message, 'error.stack_trace': trace } = nova(text, { schema: 'ecs' });
  assert.equal(message, '[-] Failed: E: no');
  assert.equal(trace, 'Traceback (most recent call last):\n  File "a.py", line 1\nE: no\n');
});
