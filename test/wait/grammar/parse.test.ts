import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../../src/core/errors.ts';
import { parseDependency } from '../../../src/wait/index.ts';

/** The default properties of an object dependency. */
const PLAIN = {
  isNegated: false,
  timeoutMs: undefined,
  name: undefined,
  namespace: undefined,
  labels: [],
  conditions: [],
  jsonpaths: [],
  release: undefined,
  isOnOwnNode: false,
  record: undefined,
};

for (const [text, expected] of [
  ['job/keystone-db-sync', { kind: 'job', name: 'keystone-db-sync' }],
  ['job/a.b@openstack', { kind: 'job', name: 'a.b', namespace: 'openstack' }],
  ['jobs.batch/a', { kind: 'job', name: 'a' }],
  ['!job/a', { kind: 'job', name: 'a', isNegated: true }],
  ['job/a?timeout=5m&release=2026.1', { kind: 'job', name: 'a', timeoutMs: 300_000, release: '2026.1' }],
  ['job/a-run?db-sync=a', { kind: 'job', name: 'a-run', record: 'a' }],
  ['endpoints/mariadb', { kind: 'service', name: 'mariadb' }],
  ['pod?label=app=x', { kind: 'pod', labels: ['app=x'] }],
  [
    'pod@ns?label=app=x&label=!old&node=own',
    { kind: 'pod', namespace: 'ns', labels: ['app=x', '!old'], isOnOwnNode: true },
  ],
  ['node?label=example.org/role=compute', { kind: 'node', labels: ['example.org/role=compute'] }],
  ['node?node=own', { kind: 'node', isOnOwnNode: true }],
  [
    'deploy/a?condition=Available&condition=Progressing=False',
    {
      kind: 'deployment',
      name: 'a',
      conditions: [
        { type: 'Available', status: 'True' },
        { type: 'Progressing', status: 'False' },
      ],
    },
  ],
  [
    'certificates.cert-manager.io/a?jsonpath={.status.phase}=Issued',
    { kind: 'certificates.cert-manager.io', name: 'a', jsonpaths: [{ path: '{.status.phase}', value: 'Issued' }] },
  ],
  [
    'pvc/data?jsonpath={.spec.volumeName}',
    { kind: 'pvc', name: 'data', jsonpaths: [{ path: '{.spec.volumeName}', value: undefined }] },
  ],
  ['widget/a?jsonpath={.a}=x%26y', { kind: 'widget', name: 'a', jsonpaths: [{ path: '{.a}', value: 'x&y' }] }],
  ['clusterrole/system:node', { kind: 'clusterrole', name: 'system:node' }],
] as const) {
  test(`'${text}' is parsed`, () => {
    const { of: kind, ...said } = parseDependency(text);
    assert.equal(kind.form, 'object');
    assert.deepEqual(said, { ...PLAIN, form: 'object', ...expected, text });
  });
}

const BARE = { isNegated: false, timeoutMs: undefined };

for (const [text, expected] of [
  ['tcp://mariadb:3306', { form: 'server', kind: 'tcp', host: 'mariadb', port: 3306 }],
  ['tcp://[::1]:11211?timeout=10s', { form: 'server', kind: 'tcp', host: '::1', port: 11_211, timeoutMs: 10_000 }],
  ['mysql://mariadb', { form: 'server', kind: 'mysql', host: 'mariadb', port: 3306 }],
  ['mysql://[::1]', { form: 'server', kind: 'mysql', host: '::1', port: 3306 }],
  ['amqp://rabbitmq:5671', { form: 'server', kind: 'amqp', host: 'rabbitmq', port: 5671 }],
  ['memcached://cache', { form: 'server', kind: 'memcached', host: 'cache', port: 11_211 }],
  ['http://keystone:5000/v3', { form: 'url', kind: 'http', url: new URL('http://keystone:5000/v3') }],
  ['https://[fd00::1]/', { form: 'url', kind: 'https', url: new URL('https://[fd00::1]/') }],
  ['http://a/?b=c#timeout=2s', { form: 'url', kind: 'http', url: new URL('http://a/?b=c'), timeoutMs: 2000 }],
  ['file:/run/kolla/ready', { form: 'path', kind: 'file', path: '/run/kolla/ready' }],
  ['!socket:/run/a.sock', { form: 'path', kind: 'socket', path: '/run/a.sock', isNegated: true }],
] as const) {
  test(`'${text}' is parsed`, () => {
    const { of: kind, ...said } = parseDependency(text);
    assert.deepEqual([kind.form, kind.word], [expected.form, expected.kind]);
    assert.deepEqual(said, { ...BARE, ...expected, text });
  });
}

for (const [text, problem] of [
  ['', /is empty; there is job\/, /],
  ['!', /column 2: '' is not a kind of wait; there is job\//],
  [' job/x', /column 1: ' job' is not a kind of wait; did you mean 'job'\?/],
  [' ', /column 1: ' ' is not a kind of wait; there is job\//],
  ['ftp://x', /column 1: 'ftp' is not a kind of wait; did you mean '(?:tc|htt)p'\?/],
  ['HTTP://x', /column 1: 'HTTP' is not a kind of wait; did you mean 'http'\?/],
  ['jbo/x', /column 1: 'jbo' is not a kind of wait; did you mean 'job'\?/],
  ['Job/x', /column 1: 'Job' is not a kind of wait; did you mean 'job'\?/],
  ['!jbo/x', /column 2: 'jbo' is not a kind of wait/],
  ['redis://x', /column 1: 'redis' is not a kind of wait; there is job\//],
  ['constructor://x', /column 1/],
  ['job:x', /column 4: 'job' is followed by '\/' and a name, or by '\?label='/],
  ['tcp:x:1', /column 4: 'tcp' is followed by ':\/\/'/],
  ['job', /column 4: 'job' is followed/],
  ['job/', /column 5: the name of a Job is missing/],
  ['job/Keystone', /column 5: 'K' is not allowed in the name/],
  ['job/a b', /column 6: ' ' is not allowed in the name/],
  ['job/a?x=1', /column 7: 'x' is not an option of this wait/],
  ['job/a?relase=1', /column 7: 'relase' is not an option of this wait; did you mean 'release'\?/],
  ['job/a?timeout', /column 7: 'timeout' has no value: write timeout=VALUE/],
  ['job/a?timeout=5', /column 15: '5' has no unit/],
  ['job/a?timeout=0s', /column 15: a timeout must be more than 0/],
  ['job/a?timeout=1s&timeout=2s', /column 18: 'timeout' is given twice/],
  ['job/a?', /column 7: an option is missing/],
  ['job/a?release=', /column 15: the release is missing/],
  ['job/a?label=app=x', /column 7: label= replaces the name: job\?label=/],
  ['job?label=app=x y', /column 11: 'app=x y' is not a label/],
  ['job?label=a=b,c=d', /column 11: .* one per label=/],
  ['job?release=1', /column 4: job needs a name or label=/],
  ['job/a?condition=', /column 17: '' is not a condition/],
  ['job/a?jsonpath=.status', /column 16: '.status' is not a JSONPath; write \{/],
  ['job/a?jsonpath={.a}b', /column 16/],
  [
    'job/a?jsonpath={.a[?(@.b==)]}',
    /column 27: \{\.a\[\?\(@\.b==\)\]\} is not a JSONPath: a path .* or a value .* is missing/,
  ],
  ['job/a?release=%zz', /column 15: a '%' is written %25/],
  ['pod/a?node=other', /column 12: the only valid node is 'own'/],
  ['secret?label=a=b', /column 7: 'secret' is followed by '\/' and a name/],
  ['!db-sync/keystone', /column 1: a migration can't be negated/],
  ['node/a@b', /column 7: a Node has no namespace/],
  ['job/a-', /column 6: the name of a Job must start and end/],
  ['job/a@', /column 7: the name of a namespace is missing/],
  ['job/a@b@c', /column 8: '@' is not allowed in the name of a namespace/],
  [`job/${'a'.repeat(254)}`, /column 258: .* at most 253/],
  ['tcp://mariadb', /column 7: HOST:PORT is missing/],
  ['tcp://mariadb:70000', /column 7/],
  ['tcp://mariadb:3306#timeout=5s', /column 19: options of this wait follow '\?'/],
  ['mysql://', /column 9: HOST\[:PORT\] is missing/],
  ['http://', /column 8: HOST/],
  ['http://a /', /column 9: a URL has no spaces/],
  ['http://a/#x=1', /column 11: 'x' is not an option/],
  ['file:run', /column 6: an absolute path is missing; did you mean 'file:\/run'\?/],
  ['socket:', /column 8: an absolute path is missing/],
] as const) {
  test(`'${text.slice(0, 30)}' is rejected with the position and the correct form`, () => {
    assert.throws(
      () => parseDependency(text),
      (error) => error instanceof UsageError && problem.test(error.message),
    );
  });
}

for (const text of [
  'http://user:hunter2@keystone/',
  'http://keystone/#hunter2@x',
  'mysql://root:hunter2@mariadb',
  'mysql://root:hunt?hunter2@mariadb',
  'tcp://root:hun/hunter2@mariadb:3306',
  'amqp:root:hunter2@rabbitmq',
  'postgres://root:hunter2@db/x',
  'postgresql+asyncpg://root:@hunter2@db/x',
]) {
  test(`a password in '${text.split(':')[0]}' is rejected without being repeated`, () => {
    assert.throws(
      () => parseDependency(text),
      (error) => error instanceof UsageError && !error.message.includes('hunter2'),
    );
  });
}
