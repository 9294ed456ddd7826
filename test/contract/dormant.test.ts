/** An image with our names that is started as before: without our variables, an API server, or mounts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HELPERS } from '../support/helper.ts';
import { run } from '../../tools/process.ts';
import { canThrowAwayRoots, inThrowAwayRoot, type InRoot, type Tree } from './throw-away-root.ts';

async function canTrace(): Promise<string | undefined> {
  const tried = await run('strace', ['-f', '-o', '/dev/null', 'true']).catch(() => undefined);
  return tried?.code === 0 ? undefined : 'strace cannot trace here';
}

const skip = (await canThrowAwayRoots()) ?? (await canTrace()) ?? false;

const program = (text: string) => ({ text, mode: 0o755 });
const ours = (name: string) => program(`#!/bin/bash\nexec '${process.execPath}' '${HELPERS}' ${name} "$@"\n`);
const IMAGE: Tree = {
  'etc/debian_version': '12\n',
  'etc/passwd': 'root:x:0:0::/root:\nkeystone:x:42425:42425::/:\n',
  'etc/group': 'root:x:0:\nkeystone:x:42425:\n',
  'var/lib/kolla/config_files/config.json': JSON.stringify({ command: 'true', config_files: [] }),
  'usr/local/bin/kolla_start': ours('kolla_start'),
  'usr/local/bin/kolla_set_configs': ours('kolla_set_configs'),
  'usr/local/bin/kolla_copy_cacerts': ours('kolla_copy_cacerts'),
  'usr/local/bin/kolla_extend_start': '',
  run_command: { text: 'true', mode: 0o666 },
  // Replaces Kolla's sudo, which would need a set-id bit.
  'usr/local/bin/sudo': program('#!/bin/bash\nif [[ $1 == -E ]]; then shift; fi\necho "sudo $1" >&2\n'),
};

async function networkCalls(more: Tree, options: Partial<InRoot>): Promise<string[]> {
  const line =
    'strace -f -qq -e trace=socket,connect,execve -o /tmp/trace kolla_start >&2; echo "code $?"; cat /tmp/trace';
  const { stdout, stderr } = await inThrowAwayRoot(line, {
    ...options,
    tree: { ...IMAGE, ...more },
    env: { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS' },
  });
  assert.match(stdout, /^code 0\n/, stderr);
  assert.match(stdout, /execve\(.*kolla_start/, 'nothing was traced');
  // libc and bash look users up through a socket (nscd), with our names and without.
  return stdout.split('\n').filter((each) => /(?:socket|connect)\(/.test(each) && !each.includes('AF_UNIX'));
}

for (const [name, more, options] of [
  ['as root', {}, {}],
  ['as a user that sudo supports', {}, { uid: 42_425 }],
  ['without root, after kolla-init', { 'run/kolla/run_command': 'true' }, { uid: 42_425, noNewPrivileges: true }],
] as const satisfies readonly (readonly [string, Tree, Partial<InRoot>])[]) {
  test(`kolla_start opens no connection: ${name}`, { skip }, async () => {
    assert.deepEqual(await networkCalls(more, options), []);
  });
}

test('the same check detects a socket if there is one', { skip }, async () => {
  const more = { 'usr/local/bin/kolla_extend_start': ': < /dev/tcp/127.0.0.1/1 || true' };
  assert.match((await networkCalls(more, {})).join('\n'), /AF_INET/);
});
