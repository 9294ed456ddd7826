import assert from 'node:assert/strict';
import { test } from 'node:test';
import { START_SCRIPT } from '../../../src/container/start/script.ts';
import { findAsker } from '../../../src/container/sudo/asker.ts';

const BASE = '/usr/local/bin/kolla_extend_start';
const LEAF = '/usr/local/bin/kolla_x_extend_start';
const FILES: Readonly<Record<string, string>> = {
  [BASE]: `#!/bin/bash\n# sudo chown x: /var/lib/x\nsudo chown x: "\${DIR}"\nsudo chmod 755 /a\n. ${LEAF}\n`,
  [LEAF]: 'if true; then\n  sudo -E /opt/wrap --all\nfi\nsudo chmod 700 /b\nsudo touch /c\nsudo touch /c\n',
  '/opt/run.sh': 'set -e\nsudo reboot now\n',
};

function asker(line: string, ...parent: string[]) {
  return findAsker(line.split(' '), { parent, path: '/nope:/usr/local/bin', read: (path) => FILES[path] });
}

const STARTED = ['bash', '-c', START_SCRIPT, '/usr/local/bin/kolla_start', '/run/kolla/run_command', 'nobody', ''];

for (const [line, script, lines, text] of [
  ['chown x: /var/lib/x', BASE, [3], 'sudo chown x: "${DIR}"'],
  ['chmod 755 /a', BASE, [4], 'sudo chmod 755 /a'],
  ['chmod 700 /b', LEAF, [4], 'sudo chmod 700 /b'],
  ['/opt/wrap --all', LEAF, [2], 'sudo -E /opt/wrap --all'],
  ['touch /c', LEAF, [5, 6], 'sudo touch /c'],
] as const) {
  test(`kolla_start's bash: ${line} is found where ${script} asks for it`, () => {
    assert.deepEqual(asker(line, ...STARTED), { script, lines, text });
  });
}

test('what no sourced script has was asked by kolla_start itself', () => {
  assert.deepEqual(asker('kolla_set_configs', ...STARTED), { script: 'kolla_start', lines: [] });
});

test('a script that was run by its path or by its interpreter is named with its line', () => {
  const wanted = { script: '/opt/run.sh', lines: [2], text: 'sudo reboot now' };
  assert.deepEqual(asker('reboot now', '/bin/bash', '/opt/run.sh', 'word'), wanted);
  assert.deepEqual(asker('reboot now', 'bash', '-ex', '/opt/run.sh'), wanted);
});

test('words of bash -c are never repeated: they may hold a password', () => {
  const found = asker('nova-manage x', 'bash', '-c', 'sudo nova-manage x --transport-url rabbit://u:secret@h');
  assert.deepEqual(found, { script: 'bash -c', lines: [] });
});

test('a caller that is no shell, or gone, is not guessed', () => {
  assert.equal(asker('x', '/usr/bin/python3', 'x.py'), undefined);
  assert.equal(asker('x'), undefined);
});

test('scripts that source each other in a ring are read to an end', () => {
  const read = () => '. /ring\nsudo x\n';
  const found = findAsker(['x'], { parent: ['bash', '/ring'], path: '', read });
  assert.deepEqual(found, { script: '/ring', lines: [2], text: 'sudo x' });
});
