/** Patterns and documents in config.json that could take forever to parse. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canThrowAwayRoots, inThrowAwayRoot } from '../throw-away-root.ts';
import { isOnCore } from '../../support/helper.ts';
import { COMMAND, directories } from './ours.ts';

const skip = (await canThrowAwayRoots()) ?? false;
const CONFIG = 'var/lib/kolla/config_files';
const env = { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS' };

async function ended(config: string, more: Readonly<Record<string, string>> = {}, file = 'config.json') {
  const tree = {
    'etc/passwd': 'root:x:0:0::/root:/bin/sh\n',
    'etc/group': 'root:x:0:\n',
    'usr/local/bin/kolla_set_configs': COMMAND,
    [`${CONFIG}/${file}`]: config,
    ...more,
  };
  const { stdout, stderr } = await inThrowAwayRoot('kolla_set_configs; echo $?', { directories, tree, env });
  return { code: Number(stdout), stderr };
}

test('thirty stars in a source are matched in bounded time', { skip }, async () => {
  const source = `/${CONFIG}/${'a*'.repeat(30)}b`;
  const config = {
    command: 'x',
    config_files: [{ source, dest: '/etc/x/', owner: 'root', perm: '0600', optional: true }],
  };
  const { code, stderr } = await ended(JSON.stringify(config), { [`${CONFIG}/${'a'.repeat(250)}`]: '' });
  assert.equal(code, 0, stderr);
});

for (const [what, text] of [
  ['a million brackets', '['.repeat(1e6)],
  ['a million objects', '{"a":'.repeat(1e5)],
] as const)
  for (const file of ['config.json', 'config.yaml'])
    test(`exits with code 1 for ${what} in ${file}, without exhausting the stack`, { skip }, async () => {
      const { code, stderr } = await ended(text, {}, file);
      assert.equal(code, 1, stderr.slice(-500));
      assert.match(stderr, /ERROR InvalidConfig: Invalid (?:json|yaml) file found at /);
    });

// Node cannot stop a regular expression.
if (isOnCore)
  test('an exclude pattern with catastrophic backtracking is rejected by kolla-core', { skip }, async () => {
    const exclude = [String.raw`^/x/(a+)+$b`];
    const config = { command: 'x', permissions: [{ path: '/x', owner: 'root', perm: '0755', recurse: true, exclude }] };
    const { code, stderr } = await ended(JSON.stringify(config), { [`x/${'a'.repeat(100)}`]: '' });
    assert.equal(code, 1, stderr);
    assert.match(stderr, /exclude takes too long for \/x\/a+: make it simpler/);
  });
