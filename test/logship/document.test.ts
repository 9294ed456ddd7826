import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileFields, LineParser } from '../../src/logship/document.ts';
import { zoneNamed } from '../../src/logship/parse/zone.ts';

const origin = { hostname: 'c1', pod: 'p-1', namespace: 'openstack', node: undefined };
const fields = (path: string) => JSON.parse(`{"x":1${fileFields(path, '/var/log/kolla', origin)}`) as object;
const document = (line: string, lastMs = 0) => {
  const parser = new LineParser(
    zoneNamed('+01:00'),
    fileFields('/var/log/kolla/nova/nova-api.log', '/var/log/kolla', origin),
  );
  return JSON.parse(parser.parse(line, lastMs).source) as Record<string, unknown>;
};

test('a file tells service and program, as in Kolla', () => {
  assert.deepEqual(fields('/var/log/kolla/nova/nova-api.log'), {
    x: 1,
    Hostname: 'c1',
    Logger: 'openstack.nova',
    programname: 'nova-api',
    kubernetes: { pod_name: 'p-1', namespace_name: 'openstack' },
  });
});

test('what is not an OpenStack service has no Logger', () => {
  assert.equal('Logger' in fields('/var/log/kolla/mariadb/mariadb.log'), false);
});

test("outside the root the file's folder is the service", () => {
  assert.equal((fields('/tmp/x/glance/api.log') as { Logger: string }).Logger, 'openstack.glance');
});

test('the time is the event, in UTC, and the text stays', () => {
  const { '@timestamp': time, Timestamp } = document('2026-11-20 00:30:00.250 7 INFO nova [-] up');
  assert.deepEqual([time, Timestamp], ['2026-11-19T23:30:00.250Z', '2026-11-20 00:30:00.250']);
});

test('a line without a time is whole in its payload and takes the last time', () => {
  const { '@timestamp': time, Payload, Hostname } = document('  File "a.py", "\u0000 \\', Date.UTC(2026, 0, 2));
  assert.deepEqual([time, Payload, Hostname], ['2026-01-02T00:00:00.000Z', '  File "a.py", "\u0000 \\', 'c1']);
});

test('a line with an impossible time is whole in its payload', () => {
  const line = '2026-99-20 00:30:00.250 7 INFO nova [-] up';
  assert.equal(document(line)['Payload'], line);
});
