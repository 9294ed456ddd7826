import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineOf } from '../../../src/provision/converge/change.ts';
import { isPassword, planQueue, type QueueState } from '../../../src/provision/rabbitmq/plan.ts';
import { parseTransportUrl } from '../../../src/provision/rabbitmq/transport-url.ts';

/** The example in RabbitMQ's documentation of the format: `test12`, with the salt 908DC60A. */
const HASH = 'kI3GCqW5JLMJa4iX1lo7X4D6XbYqlLgxIs30+P6tENUV2POR';
const SHA256 = 'rabbit_password_hashing_sha256';
const ALL = { configure: '.*', write: '.*', read: '.*' };
const transport = parseTransportUrl('rabbit://nova:test12@r/nova');
const RIGHT: QueueState = { vhost: {}, user: { password_hash: HASH, hashing_algorithm: SHA256 }, permissions: ALL };

function lines(state: Partial<QueueState>): string[] {
  return planQueue(transport, { ...RIGHT, ...state }).map(lineOf);
}

test("a password is compared with RabbitMQ's hash", () => {
  assert.equal(isPassword('test12', HASH, SHA256), true);
  assert.equal(isPassword('test13', HASH, SHA256), false);
  assert.equal(isPassword('test12', HASH, 'rabbit_password_hashing_of_tomorrow'), undefined);
});

test('up-to-date objects are not changed', () => {
  assert.deepEqual(lines({}), []);
});

test('on an empty broker virtual host, account and permissions are created, in that order', () => {
  assert.deepEqual(lines({ vhost: undefined, user: undefined, permissions: undefined }), [
    'create virtual host nova',
    'create queue user nova',
    'create permissions of nova in virtual host nova: configure .*, write .*, read .*',
  ]);
});

test('a changed password is set, and not shown', () => {
  const wrong = { ...transport, password: 'hidden' };
  assert.deepEqual(planQueue(wrong, RIGHT).map(lineOf), [
    "update queue user nova: password another -> the transport URL's",
  ]);
});

test('an account without a password gets one', () => {
  assert.deepEqual(lines({ user: { password_hash: '' } }), [
    "update queue user nova: password none -> the transport URL's",
  ]);
});

test('a password hash of an unknown kind is not changed', () => {
  assert.deepEqual(lines({ user: { password_hash: HASH, hashing_algorithm: 'other' } }), []);
});

test('plans an update for permissions that are narrower than wanted', () => {
  assert.deepEqual(lines({ permissions: { ...ALL, write: '^nova' } }), [
    'update permissions of nova in virtual host nova: write ^nova -> .*',
  ]);
});
