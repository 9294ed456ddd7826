import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../src/cli/errors.ts';
import { parseDependency } from '../../src/depend/index.ts';

for (const [text, expected] of [
  ['job/keystone-db-sync', { kind: 'job', name: 'keystone-db-sync', namespace: undefined }],
  ['job/a.b@openstack', { kind: 'job', name: 'a.b', namespace: 'openstack' }],
  ['tcp://mariadb:3306', { kind: 'tcp', address: { host: 'mariadb', port: 3306 } }],
  ['tcp://[::1]:11211', { kind: 'tcp', address: { host: '::1', port: 11_211 } }],
  ['http://keystone:5000/v3', { kind: 'http', url: new URL('http://keystone:5000/v3') }],
  ['https://[fd00::1]/', { kind: 'http', url: new URL('https://[fd00::1]/') }],
] as const) {
  test(`'${text}' is read as what it says`, () => {
    assert.deepEqual(parseDependency(text), { ...expected, text });
  });
}

for (const [text, problem] of [
  ['', /is empty; there is job\/, tcp:\/\//],
  ['jbo/x', /column 1: 'jbo' is nothing to wait for; did you mean 'job'\?/],
  ['redis://x', /column 1: 'redis' is nothing to wait for; there is job\//],
  ['!job/x', /column 1: '!job' is nothing to wait for; did you mean 'job'\?/],
  ['constructor/x', /column 1/],
  ['job:x', /column 4: 'job' is followed by '\/'/],
  ['tcp:x:1', /column 4: 'tcp' is followed by ':\/\/'/],
  ['job/', /column 5: the name of a Job is missing/],
  ['job/Keystone', /column 5: 'K' is not in the name/],
  ['job/a b', /column 6: ' ' is not in the name/],
  ['job/a?x=1', /column 6: '\?' is not in the name/],
  ['job/a-', /column 6: the name of a Job begins and ends/],
  ['job/a@', /column 7: the name of a namespace is missing/],
  ['job/a@b@c', /column 8: '@' is not in the name of a namespace/],
  [`job/${'a'.repeat(254)}`, /column 258: .* at most 253/],
  ['tcp://mariadb', /column 7: HOST:PORT is missing/],
  ['tcp://mariadb:70000', /column 7/],
  ['http://', /column 8: HOST/],
  ['http://a /', /column 9: a URL has no blanks/],
] as const) {
  test(`'${text.slice(0, 30)}' is refused with the place and what would be right`, () => {
    assert.throws(
      () => parseDependency(text),
      (error) => error instanceof UsageError && problem.test(error.message),
    );
  });
}

test('a password in a URL is refused without being repeated', () => {
  assert.throws(
    () => parseDependency('http://user:hunter2@keystone/'),
    (error) => error instanceof UsageError && !error.message.includes('hunter2'),
  );
});
