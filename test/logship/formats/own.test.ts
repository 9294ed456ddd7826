import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { ConfigError } from '../../../src/core/errors.ts';
import { ownFormats } from '../../../src/logship/formats/own.ts';
import { ownFormatsIn } from '../../../src/logship/formats/own-file.ts';
import { FileFormat } from '../../../src/logship/formats/parser.ts';
import { LineRole } from '../../../src/logship/tables/scanner.ts';
import { zoneTableNamed } from '../../../src/logship/time/zone-table.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { documentOf } from './documents.ts';

const SITE = `
proxysql:
  files: ['proxysql/*.log']
  line:
    - '{Timestamp:Y-m-d H:M:S} [{log_level}] {Payload...}'
    - '{Timestamp:Y-m-d H:M:S} {module}:{line:digits}:{function}: [{log_level}] {Payload...}'
    - 'Error: {Payload...}'
  numbers: [line]
  ecs: {line: log.origin.file.line}
etcd:
  files: ['etcd/*.log']
  json: {log_level: level, caller: caller, msg: msg}
  time: ts
  program: etcd-server
app:
  files: /srv/app.log
  line: '{Timestamp:d/b/Y:H:M:S.f z} {?[{Pid:digits}] ?}{_}={text:text}, "{path:quoted}" {{{user}}'
  other-lines: alone
  process: Pid
`;

function formatOf(path: string, schema: 'kolla' | 'ecs' = 'kolla'): FileFormat {
  const origin = { hostname: 'h', pod: undefined, namespace: undefined, node: undefined };
  const formats = ownFormats('kolla-pod.yaml', load(SITE), '/logs');
  return new FileFormat(path, { root: '/logs', origin, zone: zoneTableNamed('+01:00'), schema, formats });
}

function parsed(path: string, text: string, schema?: 'kolla' | 'ecs') {
  using format = formatOf(path, schema);
  const { role, timeMs } = format.table.place(Buffer.from(text.split('\n')[0]!), NaN, 0, undefined);
  const time = Number.isNaN(timeMs) ? undefined : new Date(timeMs).toISOString();
  const document = documentOf(format, text, 0) as Record<string, unknown>;
  for (const name of ['@timestamp', 'Hostname', 'Logger']) delete document[name];
  return { role, time, document };
}

test("ProxySQL's lines are parsed by a site's own format", () => {
  const line = '2026-11-20 08:15:42 MySQL_Session.cpp:1234:handler(): [ERROR] Access denied\n  more';
  assert.deepEqual(parsed('/logs/proxysql/proxysql.log', line), {
    role: LineRole.begins,
    time: '2026-11-20T07:15:42.000Z',
    document: {
      Timestamp: '2026-11-20 08:15:42',
      module: 'MySQL_Session.cpp',
      line: 1234,
      function: 'handler()',
      log_level: 'ERROR',
      Payload: 'Access denied\n  more',
      programname: 'proxysql',
    },
  });
  const { document } = parsed('/logs/proxysql/proxysql.log', '2026-11-20 08:15:42 [INFO] ProxySQL version 2.7.3');
  assert.deepEqual([document['log_level'], document['Payload']], ['INFO', 'ProxySQL version 2.7.3']);
  const ecs = parsed('/logs/proxysql/proxysql.log', line, 'ecs').document;
  assert.deepEqual(
    [ecs['log.origin.file.line'], ecs['event.dataset'], ecs['message']],
    [1234, 'proxysql', 'Access denied\n  more'],
  );
  for (const follows of [
    'more',
    'Standard ProxySQL Cluster rev. 0.4 -- ProxySQL_Cluster.cpp',
    '| 10 | 10.0.0.1 | 3306 |',
  ])
    assert.equal(parsed('/logs/proxysql/proxysql.log', follows).role, LineRole.follows);
  const lambda = '2026-11-20 08:15:42 MySQL_Monitor.cpp:7:operator()(): [ERROR] Timeout on ping';
  assert.equal(parsed('/logs/proxysql/proxysql.log', lambda).document['function'], 'operator()()');
  const crash = parsed('/logs/proxysql/proxysql.log', 'Error: signal 11:\nproxysql(_Z13crash_handleri+0x2a)[0x57d62a]');
  assert.deepEqual(
    [crash.role, crash.time, crash.document],
    [
      LineRole.begins,
      undefined,
      { Payload: 'signal 11:\nproxysql(_Z13crash_handleri+0x2a)[0x57d62a]', programname: 'proxysql' },
    ],
  );
});

test("etcd's JSON lines are parsed by a site's own format", () => {
  const line = '{"level":"warn","ts":"2026-11-20T08:15:42.5Z","caller":"a.go:1","msg":"slow \\"x\\"","took":"1s"}';
  assert.deepEqual(parsed('/logs/etcd/etcd.log', line), {
    role: LineRole.alone,
    time: '2026-11-20T08:15:42.500Z',
    document: { Payload: line, log_level: 'warn', caller: 'a.go:1', msg: 'slow "x"', programname: 'etcd-server' },
  });
  const other = parsed('/logs/etcd/etcd.log', 'panic: x');
  assert.deepEqual([other.role, other.document['parse_error']], [LineRole.alone, true]);
});

test('a pattern has optional parts, columns that are in no document, texts, quotes and braces', () => {
  const tail = 'k=a b, "/x \\"y\\"" {me}';
  const { time, document } = parsed('/srv/app.log', `20/Nov/2026:08:15:42.25 +0200 [7] ${tail}`);
  assert.equal(time, '2026-11-20T06:15:42.250Z');
  const fields = { text: 'a b', path: '/x \\"y\\"', user: 'me', programname: 'app' };
  assert.deepEqual(document, { Timestamp: '20/Nov/2026:08:15:42.25 +0200', Pid: '7', ...fields });
  const without = parsed('/srv/app.log', `20/Nov/2026:08:15:42 +0200 ${tail}`);
  assert.deepEqual(without.document, { Timestamp: '20/Nov/2026:08:15:42 +0200', ...fields });
  assert.equal(parsed('/srv/app.log', 'x').role, LineRole.alone);
});

for (const [yaml, message] of [
  ['x: {files: a}', /formats\.x\.line: is missing, such as/],
  ["x: {line: '{a}'}", /formats\.x\.files: is missing, such as/],
  ["x: {files: a, lines: '{a}'}", /formats\.x\.lines: no such key; did you mean 'line'/],
  [
    "x: {files: a, line: 'at {Timestamp:Q}'}",
    /formats\.x\.line: column 4: 'Q' is neither digits, text, quoted nor a time/,
  ],
  ["x: {files: a, line: ['{a}', '{a} {a}']}", /formats\.x\.line\[1\]: column 5: 'a' is there twice/],
  ["x: {files: a, line: 'a {b...} c'}", /column 3: 'b\.\.\.' must be the end/],
  ["x: {files: a, line: 'a {b'}", /column 3: write a column as \{name\}/],
  ["x: {files: a, line: 'a {? b'}", /column 3: `\{\?` without `\?\}`/],
  ["x: {files: a, line: 'a ?}'}", /column 3: `\?\}` without `\{\?`/],
  ["x: {files: a, line: '{a:text}'}", /column 1: text must follow 'a'/],
  ["x: {files: a, line: '{a b}'}", /column 1: 'a b' is not a name/],
  ["x: {files: a, line: '{kubernetes}'}", /'kubernetes' is a field of every document/],
  ["x: {files: a, line: '{size}', numbers: [sise]}", /no column is named 'sise'; did you mean 'size'/],
  ["x: {files: a, line: '{a}', process: b}", /formats\.x\.process: is not the name of a column: a/],
  ["x: {files: a, line: '{a}', other-lines: join}", /other-lines: is not one of follow, alone/],
  ['x: {files: a, json: [a]}', /formats\.x\.json: is not a mapping/],
  ['x: {files: a, json: {a: b, c: b}}', /formats\.x\.json: has a key for two fields/],
  ["oslo: {files: a, line: '{a}'}", /is the name of a built-in format/],
  ['X: 1', /formats\.X: is not a name .*formats\.X: is not a mapping/],
  ['[]', /formats: is not a mapping/],
] as const)
  test(`${yaml} is reported with its place`, () => {
    assert.throws(
      () => ownFormats('kolla-pod.yaml', load(yaml), '/logs'),
      (error: Error) => {
        assert.ok(error instanceof ConfigError, String(error));
        assert.match(error.message, /^kolla-pod\.yaml: formats/);
        assert.match(error.message, message);
        return true;
      },
    );
  });

test('the file of --formats is read, and a problem names it', async () => {
  await using directory = await privateDirectory('formats');
  const file = join(directory.path, 'formats.yaml');
  await writeFile(file, `formats:\n${SITE.replaceAll(/^/gm, '  ')}`);
  assert.deepEqual(
    ownFormatsIn(file, '/logs').map(({ glob }) => glob),
    ['/logs/proxysql/*.log', '/logs/etcd/*.log', '/srv/app.log'],
  );
  await writeFile(file, 'format: {}\n');
  assert.throws(() => ownFormatsIn(file, '/logs'), /formats\.yaml: format: no such key; did you mean 'formats'/);
  assert.throws(() => ownFormatsIn(join(directory.path, 'none'), '/logs'), ConfigError);
});

test('without the section there are no formats', () => assert.deepEqual(ownFormats('f', undefined, '/logs'), []));
