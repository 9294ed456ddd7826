import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../../src/core/errors.ts';
import { readChecks } from '../../../src/probe/serve/config.ts';
import { CHECKS_JSON_SCHEMA } from '../../../src/probe/serve/json-schema.ts';

test('a check with only its arguments runs for readiness every ten seconds', () => {
  assert.deepEqual(readChecks('F', { api: { run: 'tcp 127.0.0.1:5000' } }), [
    {
      name: 'api',
      run: ['tcp', '127.0.0.1:5000'],
      roles: ['readiness'],
      period: 10_000,
      timeout: 900,
      failures: 1,
      allowRemote: false,
    },
  ]);
});

test('arguments may be a list, and all keys may be set', () => {
  const given = {
    run: ['tcp', 'a b', 1],
    for: ['startup', 'liveness'],
    period: '2s',
    timeout: '1s',
    failures: 3,
    'allow-remote': true,
  };
  const [check] = readChecks('F', { x: given });
  assert.deepEqual(check, {
    name: 'x',
    run: ['tcp', 'a b', '1'],
    roles: ['startup', 'liveness'],
    period: 2000,
    timeout: 1000,
    failures: 3,
    allowRemote: true,
  });
});

test('a check may be for one probe, or for none', () => {
  assert.deepEqual(readChecks('F', { x: { run: 'tcp a:1', for: 'startup' } })[0]?.roles, ['startup']);
  assert.deepEqual(readChecks('F', { x: { run: 'tcp a:1', for: [] } })[0]?.roles, []);
});

test('without the section, or with an empty one, there are no checks', () => {
  assert.deepEqual(readChecks('F', undefined), []);
  assert.deepEqual(readChecks('F', null), []);
});

test('a short period gets a deadline that fits', () => {
  assert.equal(readChecks('F', { x: { run: 'tcp a:1', period: '500ms' } })[0]?.timeout, 500);
});

for (const [what, section, message] of [
  [
    'an unknown key',
    { x: { run: 'tcp a:1', perid: '1s' } },
    /F: checks\.x\.perid: no such key; did you mean 'period'\?/,
  ],
  ['no words', { x: {} }, /checks\.x: run is missing/],
  ['empty words', { x: { run: '  ' } }, /checks\.x\.run: is empty/],
  ['an unterminated quote', { x: { run: "tcp 'a" } }, /checks\.x\.run: has a ' without an end/],
  [
    'an unknown probe',
    { x: { run: 'tcp a:1', for: ['redines'] } },
    /checks\.x\.for: 'redines' is not one of .*; did you mean 'readiness'/,
  ],
  ['a period without a unit', { x: { run: 'tcp a:1', period: 10 } }, /checks\.x\.period: '10' has no unit: write 10s/],
  ['a period below the minimum', { x: { run: 'tcp a:1', period: '1ms' } }, /checks\.x\.period: is less than 100ms/],
  [
    'a deadline beyond the period',
    { x: { run: 'tcp a:1', timeout: '11s' } },
    /checks\.x\.timeout: is longer than the period/,
  ],
  ['zero failures', { x: { run: 'tcp a:1', failures: 0 } }, /checks\.x\.failures: is not a number from 1 to 100/],
  ['a word as a boolean', { x: { run: 'tcp a:1', 'allow-remote': 'yes' } }, /allow-remote: is neither true nor false/],
  ['a name with a slash', { 'x/y': { run: 'tcp a:1' } }, /checks\.x\/y: is not a name/],
  ["a probe's name", { liveness: { run: 'tcp a:1' } }, /checks\.liveness: is the name of a probe/],
  ['a list of checks', [{ run: 'tcp a:1' }], /checks: is not a mapping/],
  ['a check that is only a line', { x: 'tcp a:1' }, /checks\.x: is not a mapping/],
] as const) {
  test(`${what} is rejected with its location`, () => {
    assert.throws(
      () => readChecks('F', section),
      (error) => error instanceof ConfigError && message.test(error.message),
    );
  });
}

test('all problems are reported at once', () => {
  assert.throws(
    () => readChecks('F', { a: { runn: 'tcp a:1' }, b: { run: 'tcp b:1', period: 'soon' } }),
    /checks\.a\.runn: no such key.*checks\.a: run is missing.*checks\.b\.period: 'soon' is not a duration/,
  );
});

test('the JSON Schema has the same keys, each with its real default', () => {
  const { properties } = CHECKS_JSON_SCHEMA.additionalProperties;
  const { run, ...others } = properties;
  assert.ok('anyOf' in run);
  const given = Object.fromEntries(Object.entries(others).map(([key, schema]) => [key, schema.default]));
  const plain = readChecks('F', { x: { run: 'tcp a:1' } });
  assert.deepEqual(readChecks('F', { x: { run: 'tcp a:1', ...given } }), plain);
});
