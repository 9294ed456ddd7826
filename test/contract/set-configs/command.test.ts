/** The command itself, as run through sudo, in a temporary root. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canThrowAwayRoots, inThrowAwayRoot } from '../throw-away-root.ts';
import { COMMAND, directories } from './ours.ts';

const skip = (await canThrowAwayRoots()) ?? false;
const CONFIG = 'var/lib/kolla/config_files';
const entry = { source: `/${CONFIG}/a.conf`, dest: '/etc/keystone/a.conf', owner: 'keystone', perm: '0600' };
const tree = {
  'etc/passwd': 'root:x:0:0::/root:/bin/sh\nkeystone:x:42425:42425::/:/bin/sh\n',
  'etc/group': 'root:x:0:\nkeystone:x:42425:\n',
  [`${CONFIG}/a.conf`]: 'deployed',
  [`${CONFIG}/config.json`]: JSON.stringify({ command: 'the service', config_files: [entry] }),
  'evil/config.json': JSON.stringify({ command: 'evil' }),
  'evil/kolla-pod.yaml': 'log-level: nonsense\n',
  'usr/local/bin/kolla_set_configs': COMMAND,
};
const LIST = `echo "code $?"; stat -c '%n %a %u:%g' /etc/keystone/a.conf /run_command; cat /run_command`;
const SHALL = 'code 0\n/etc/keystone/a.conf 600 42425:42425\n/run_command 644 0:0\nthe service';

test('the command installs everything, and a check after it finds no change', { skip }, async () => {
  const env = { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS' };
  const { stdout, stderr } = await inThrowAwayRoot(`kolla_set_configs && kolla_set_configs --check; ${LIST}`, {
    directories,
    tree,
    env,
  });
  assert.equal(stdout, SHALL, stderr);
  assert.match(stderr, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} INFO Loading config file at /);
});

test('through sudo, kolla_set_configs uses only the strategy from the environment', { skip }, async () => {
  const env = {
    KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS',
    SUDO_UID: '42425',
    KOLLA_CONFIG: '{"command": "evil"}',
    KOLLA_CONFIG_FILE: '/evil/config.json',
    KOLLA_ROOT: '/evil',
    KOLLA_POD_CONFIG: '/evil/kolla-pod.yaml',
    KOLLA_POD_LOG_LEVEL: 'nonsense',
    KOLLA_POD_TERMINATION_LOG: '/evil/written',
    KOLLA_INIT_CONFIG_DIR: '/evil',
    KOLLA_INIT_ROOT: '/evil',
  };
  const { stdout, stderr } = await inThrowAwayRoot(`kolla_set_configs; ${LIST}; ls /evil`, { directories, tree, env });
  assert.equal(stdout, `${SHALL}config.json\nkolla-pod.yaml\n`, stderr);
});

test('a closed stderr does not stop kolla_set_configs halfway', { skip }, async () => {
  const env = { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS' };
  const line = `kolla_set_configs 2> >(exec 0<&-); ${LIST}`;
  const { stdout, stderr } = await inThrowAwayRoot(line, { directories, tree, env });
  assert.equal(stdout, SHALL, stderr);
});

test('unknown arguments exit with code 2 and change nothing', { skip }, async () => {
  const { stdout, stderr } = await inThrowAwayRoot('kolla_set_configs --bogus; echo "code $?"; ls /run_command', {
    directories,
    tree,
  });
  assert.equal(stdout, 'code 2\n');
  assert.match(stderr, /unrecognized arguments: --bogus/);
});
