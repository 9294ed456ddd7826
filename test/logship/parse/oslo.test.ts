import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Oslo } from '../../../src/logship/parse/oslo.ts';

const parseOslo = (line: string) => new Oslo().parse(line);

test('a complete context becomes its fields, and ids lose req-', () => {
  const line =
    '2026-11-20 08:15:42.123 22 WARNING keystone.server.flask.application ' +
    '[req-11aa req-5b1d 8f2a 3c4d dom sys default Default] Authorization failed.';
  assert.deepEqual(parseOslo(line), {
    Timestamp: '2026-11-20 08:15:42.123',
    Pid: '22',
    log_level: 'WARNING',
    python_module: 'keystone.server.flask.application',
    global_request_id: '11aa',
    request_id: '5b1d',
    user_id: '8f2a',
    tenant_id: '3c4d',
    domain_id: 'dom',
    system_scope: 'sys',
    user_domain: 'default',
    project_domain: 'Default',
    Payload: 'Authorization failed.',
  });
});

test('without a global request id there is no field', () => {
  const fields = parseOslo('2026-11-20 08:15:42.123 7 INFO nova [None req-1 u t - - d d] Took 3 s');
  assert.equal(fields?.['request_id'], '1');
  assert.equal('global_request_id' in fields, false);
  assert.equal(fields?.['Payload'], 'Took 3 s');
});

for (const payload of ['[-] ready', '[None req-1 - - - -] six fields', 'Traceback (most recent call last):', '']) {
  test(`'${payload}' is payload: its context is incomplete`, () => {
    const fields = parseOslo(`2026-11-20 08:15:42.123 7 ERROR nova.compute ${payload}`);
    assert.equal(fields?.['Payload'], payload);
    assert.equal(fields?.['python_module'], 'nova.compute');
    assert.equal(Object.keys(fields ?? {}).length, 5);
  });
}

for (const line of [
  '',
  'Traceback',
  '2026-11-20 08:15:42. 7 INFO a b',
  '2026-11-20 08:15:42.123 INFO a b',
  '2026-11-20 08:15:42.123 7 info a b',
  '10.0.0.1 - - [20/Nov/2026:08:15:42 +0000] "GET /"',
]) {
  test(`'${line}' is not oslo.log`, () => assert.equal(parseOslo(line), undefined));
}
