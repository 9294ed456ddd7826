/**
 * Lines that gunicorn 27.0.1 with uvicorn 0.54.0 has written with kolla-ansible's settings for Skyline and an application of
 * our own, in Europe/Berlin, and loguru 0.7.3 in Skyline's format.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventParser } from '../../../src/logship/parse/document.ts';
import { zoneNamed } from '../../../src/logship/time/zone.ts';
import { content, framing } from '../event/framing.ts';

const TRACEBACK = `Traceback (most recent call last):
  File "/app.py", line 9, in app
    {}["region"]
    ~~^^^^^^^^^^
KeyError: 'region'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/app.py", line 11, in app
    raise RuntimeError("no such region\\nin the catalog") from error
RuntimeError: no such region
in the catalog`;

const ERROR_LOG = `[2026-11-27 19:13:24 +0100].245 11508 INFO [-] Starting gunicorn 27.0.1
[2026-11-27 19:13:24 +0100].245 11508 INFO [-] Listening at:  (11508)
[2026-11-27 19:13:24 +0100].250 11532 INFO [-] Booting worker with pid: 11532
[2026-11-27 19:13:24 +0100].272 11532 INFO [-] Started server process [11532]
[2026-11-27 19:13:24 +0100].272 11532 INFO [-] Waiting for application startup.
[2026-11-27 19:13:27 +0100].832 11542 ERROR [-] Exception in ASGI application
${TRACEBACK}
[2026-11-27 19:13:34 +0100].385 11508 CRITICAL [-] WORKER TIMEOUT (pid:11532)
[2026-11-27 19:13:34 +0100].387 11508 WARNING [-] Worker (pid:11532) was sent SIGABRT!
[2026-11-27 19:13:43 +0100].131 11508 INFO [-] Handling signal: term
[2026-11-27 19:13:43 +0100].440 11508 INFO [-] Shutting down: Master`;

const ACCESS_LOG = `[2026-11-27 19:13:27 +0100].798 11532 INFO [-] 127.0.0.1:54552 - "GET / HTTP/1.1" 200
[2026-11-27 19:13:27 +0100].976 11542 INFO [-] 127.0.0.1:54558 - "GET /fail HTTP/1.1" 500
[2026-11-27 19:13:28 +0100].051 11532 INFO [-] 127.0.0.1:54560 - "GET /api/openstack/skyline/api/v1/login?x=%22 HTTP/1.1" 200`;

/** The documents of a file below the log root. */
function documents(name: string, log: string, schema: 'kolla' | 'ecs' = 'kolla'): Record<string, unknown>[] {
  const path = `/logs/skyline/${name}`;
  const origin = { hostname: 'h', pod: undefined, namespace: undefined, node: undefined };
  const parser = new EventParser(path, { root: '/logs', origin, zone: zoneNamed('UTC'), schema });
  const f = framing();
  const file = { ...content('skyline', { path }), parser };
  f.take(file, ...log.split('\n'));
  f.framer.cut();
  return f.events.map((event) => JSON.parse(parser.parse(event).source) as Record<string, unknown>);
}

test('each record of the error log is parsed, and a traceback is in its record', () => {
  const found = documents('skyline-error.log', ERROR_LOG);
  assert.equal(found.length, 10);
  assert.deepEqual(
    found.filter((each) => 'parse_error' in each),
    [],
  );
  assert.deepEqual(found[5], {
    '@timestamp': '2026-11-27T18:13:27.832Z',
    Timestamp: '2026-11-27 19:13:27.832 +0100',
    Pid: '11542',
    log_level: 'ERROR',
    Payload: `Exception in ASGI application\n${TRACEBACK}`,
    Hostname: 'h',
    Logger: 'openstack.skyline',
    programname: 'skyline-error',
  });
  assert.equal(documents('skyline-error.log', ERROR_LOG, 'ecs')[5]?.['error.stack_trace'], TRACEBACK);
});

test('each request of the access log has its fields', () => {
  const found = documents('skyline-access.log', ACCESS_LOG);
  assert.equal(found.length, 3);
  const { client, client_port, method, path, protocol, status, '@timestamp': time } = found[2] ?? {};
  assert.deepEqual(
    { client, client_port, method, path, protocol, status, time },
    {
      client: '127.0.0.1',
      client_port: 54560,
      method: 'GET',
      path: '/api/openstack/skyline/api/v1/login?x=%22',
      protocol: 'HTTP/1.1',
      status: 200,
      time: '2026-11-27T18:13:28.051Z',
    },
  );
});

test("Skyline's own log is parsed, with one document per traceback", () => {
  const traceback = `Traceback (most recent call last):

  File "/app.py", line 9, in login
    {}[region]
       └ 'RegionOne'

KeyError: 'RegionOne'`;
  const log = `2026-11-27 18:37:58.589 | INFO     | __main__:login:7 - login of admin in RegionOne
2026-11-27 18:37:58.590 | ERROR    | __main__:login:11 - no region
${traceback}
2026-11-27 18:37:58.602 | WARNING  | __main__:<module>:12 - two
lines`;
  const found = documents('skyline.log', log);
  assert.deepEqual(
    found.map(({ log_level: level, function: name, line, Payload: payload }) => [level, name, line, payload]),
    [
      ['INFO', 'login', '7', 'login of admin in RegionOne'],
      ['ERROR', 'login', '11', `no region\n${traceback}`],
      ['WARNING', '<module>', '12', 'two\nlines'],
    ],
  );
  const { python_module: module, '@timestamp': time } = found[1] ?? {};
  assert.deepEqual([module, time], ['__main__', '2026-11-27T18:37:58.590Z']);
});

test("nginx's access log in Skyline's format is parsed", () => {
  const line =
    '10.0.0.5 - - [27/Nov/2026:19:13:27 +0100] "0.031" "0.030, 0.001" "GET /api/v1/profile HTTP/1.1" 200 512 "http://skyline/" "curl/8" "10.0.0.9"';
  const [{ client, method, status, bytes, duration_us: duration, '@timestamp': time } = {}] = documents(
    'skyline-nginx-access.log',
    line,
  );
  assert.deepEqual(
    { client, method, status, bytes, duration, time },
    {
      client: '10.0.0.5',
      method: 'GET',
      status: 200,
      bytes: 512,
      duration: 31_000,
      time: '2026-11-27T18:13:27.000Z',
    },
  );
});
