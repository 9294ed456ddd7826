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

test('through sudo, only KOLLA_CONFIG_STRATEGY and a system PATH remain of the environment', () => {
  assert.deepEqual(trusted([], ENV, 0).env, { KOLLA_CONFIG_STRATEGY: 'COPY_ONCE', PATH: SYSTEM_PATH });
});

test('through sudo, no argument that names a file remains', () => {
  const words = ['--check', '--config', '/etc/shadow', '--termination-log=/etc/passwd', 'x'];
  assert.deepEqual(trusted(words, ENV, 0).argv, ['--check']);
});

test('root itself, and a user who used sudo for another user, are trusted', () => {
  const { SUDO_UID: _, ...own } = ENV;
  assert.deepEqual(trusted(['--config', 'x'], own, 0), { argv: ['--config', 'x'], env: own });
  assert.deepEqual(trusted(['--config', 'x'], ENV, 1000), { argv: ['--config', 'x'], env: ENV });
  assert.equal(isRaised(ENV, 1000), false);
});
