import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRaised, SYSTEM_PATH, trusted } from '../../src/cli/raised.ts';

const ENV = {
  SUDO_UID: '42425',
  KOLLA_CONFIG_STRATEGY: 'COPY_ONCE',
  KOLLA_CONFIG: '{}',
  KOLLA_POD_TERMINATION_LOG: '/etc/passwd',
  NODE_OPTIONS: '--require /tmp/x',
  PATH: '/tmp',
};

test('raised by sudo, the strategy is all that is left of the environment', () => {
  assert.deepEqual(trusted([], ENV, 0).env, { KOLLA_CONFIG_STRATEGY: 'COPY_ONCE', PATH: SYSTEM_PATH });
});

test('raised by sudo, no word that names a file is left', () => {
  const words = ['--check', '--config', '/etc/shadow', '--termination-log=/etc/passwd', 'x'];
  assert.deepEqual(trusted(words, ENV, 0).argv, ['--check']);
});

test('root by itself, and a user who came through sudo to another user, are trusted', () => {
  const { SUDO_UID: _, ...own } = ENV;
  assert.deepEqual(trusted(['--config', 'x'], own, 0), { argv: ['--config', 'x'], env: own });
  assert.deepEqual(trusted(['--config', 'x'], ENV, 1000), { argv: ['--config', 'x'], env: ENV });
  assert.equal(isRaised(ENV, 1000), false);
});
