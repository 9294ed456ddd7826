import assert from 'node:assert/strict';
import { test } from 'node:test';
import { environmentOf, SECURE_PATH } from '../../../src/container/sudo/environment.ts';
import { parseSudo } from '../../../src/container/sudo/parse.ts';

const target = { name: 'nova', uid: 42_436, gid: 42_436, home: '/var/lib/nova', shell: '/usr/sbin/nologin' };
const caller = { name: 'root', uid: 0, gid: 0, home: '/root', shell: '/bin/bash' };
const INHERITED = {
  HOME: '/root',
  PATH: '/x',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  OS_PASSWORD: 's',
  LD_PRELOAD: '/x',
  USER: 'r',
};

function environment(line: string): NodeJS.ProcessEnv {
  return environmentOf(parseSudo(line.split(' ')), target, caller, INHERITED);
}

const FIXED = { LOGNAME: 'nova', USER: 'nova', PATH: SECURE_PATH, SUDO_USER: 'root', SUDO_UID: '0', SUDO_GID: '0' };

test('without -E the environment is reset, except for language and time zone', () => {
  const own = { HOME: '/var/lib/nova', SHELL: '/usr/sbin/nologin', LANG: 'C.UTF-8', TZ: 'UTC' };
  assert.deepEqual(environment('-u nova id'), { ...FIXED, ...own });
});

test("with -E the caller's environment is kept, except PATH and the user's name", () => {
  const { HOME, OS_PASSWORD, PATH, USER } = environment('-E -u nova id');
  assert.deepEqual([HOME, OS_PASSWORD, PATH, USER], ['/root', 's', SECURE_PATH, 'nova']);
});

test("-H sets the target's home even with -E", () => {
  assert.equal(environment('-E -H id')['HOME'], '/var/lib/nova');
});

test('--preserve-env keeps the named variables, and assignments on the command line override them', () => {
  const given = environment('--preserve-env=OS_PASSWORD PATH=/mine id');
  assert.deepEqual([given['OS_PASSWORD'], given['LD_PRELOAD'], given['PATH']], ['s', undefined, '/mine']);
});
