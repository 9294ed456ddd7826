/**
 * A service's user against kolla_set_configs as root: during the run, every path the user may move is swapped for links,
 * FIFOs and other directories. Nothing outside the expected paths may change; with Kolla's own tool it does.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { privateDirectory } from '../../../tools/directory.ts';
import { canBuildCore, coreBinary } from '../../cluster/core-binary.ts';
import { fileLimit } from '../../support/file-limit.ts';
import { entry } from './entries.ts';
import { CONFIG } from './play.ts';
import { byCore } from './ours.ts';
import { attacked, isSame, judge, NOVA, OUTSIDE, RUNS, type Attack } from './attacked.ts';
import { canRunReference, driven, startReference } from './reference.ts';
import { look, type Files } from './tree.ts';

fileLimit(20);

const INIT_DRIVER = join(import.meta.dirname, 'fixtures/init-driver.ts');
const KOLLA = 42_400;
const own = { directory: true, owner: NOVA } as const;
const FILES: Files = {
  [`${OUTSIDE}/secret`]: { text: 'root only', mode: 0o600 },
  [`${OUTSIDE}/a.conf`]: 'not yours',
  [`${OUTSIDE}/conf/a.conf`]: 'not yours',
  [`${OUTSIDE}/nova/api.log`]: 'not yours',
  srv: { directory: true },
  'var/log/kolla': { directory: true, mode: 0o777, owner: KOLLA },
  'var/log/kolla/nova': own,
  'var/log/kolla/nova/api.log': { text: 'a line', owner: NOVA },
  'var/lib/nova': own,
  'var/lib/nova/conf': own,
  'var/lib/nova/conf/a.conf': { text: 'an old one', owner: NOVA },
  'var/lib/nova/made': own,
  [`${CONFIG}/a.conf`]: 'deployed',
  [`${CONFIG}/conf/a.conf`]: 'deployed',
  [`${CONFIG}/config.json`]: JSON.stringify({
    command: 'run',
    directories: [{ path: '/var/lib/nova/made/deep', owner: 'nova', perm: '0750' }],
    config_files: [
      entry('conf', '/var/lib/nova/conf', { owner: 'nova', perm: '0640', merge: true }),
      entry('a.conf', '/var/lib/nova/made/a.conf', { owner: 'nova' }),
    ],
    permissions: [
      { path: '/var/log/kolla/nova', owner: 'nova:nova', perm: '0755', recurse: true },
      { path: '/var/lib/nova', owner: 'nova:nova', perm: '0750', recurse: true },
      { path: '/var/lib/nova/conf/a.conf', owner: 'nova:nova', perm: '0640' },
    ],
  }),
};
const SWAPPED = [
  'var/log/kolla/nova',
  'var/log/kolla/nova/api.log',
  'var/lib/nova/conf',
  'var/lib/nova/conf/a.conf',
  'var/lib/nova/made',
];

const isRoot = process.geteuid?.() === 0;
const cannotBuild = await canBuildCore();
const skip = cannotBuild ?? (isRoot ? undefined : 'needs root, to be attacked by another user') ?? false;
const directory = await privateDirectory('attacked');
chmodSync(directory.path, 0o755);
after(async () => await directory[Symbol.asyncDispose]());

const attack = (name: string, how: 'always' | 'woken', most = RUNS): Attack => ({
  how,
  most,
  root: join(directory.path, name),
  files: FILES,
  swapped: SWAPPED,
  outside: (root) => new Map([...look(root, 'srv'), ...look(root, 'etc/passwd'), ...look(root, 'etc/group')]),
});

for (const how of ['always', 'woken'] as const) {
  test(`${RUNS} runs of kolla-init as root change nothing outside; the attacker: ${how}`, { skip }, async (t) => {
    // A start of Node takes ten times as long as what can be attacked.
    const child = spawn(process.execPath, [INIT_DRIVER], { stdio: ['pipe', 'pipe', 'inherit'] });
    await using kollaInit = driven(child);
    judge(t, await attacked(attack(`init-${how}`, how), (at) => kollaInit.run(at)));
  });

  test(`${RUNS} runs of kolla-core change nothing outside; the attacker: ${how}`, { skip }, async (t) => {
    const { binary } = await coreBinary(directory.path);
    judge(t, await attacked(attack(`core-${how}`, how), byCore(binary)));
  });
}

test("Kolla's own tool is redirected outside", { skip: (await canRunReference()) ?? skip }, async (t) => {
  await using reference = await startReference();
  const { runs, codes, before, now, last } = await attacked(attack('theirs', 'always', 10 * RUNS), (at) =>
    reference.run(at),
  );
  t.diagnostic(`after ${runs} runs ${JSON.stringify([...codes])}`);
  assert.ok(!isSame(before, now), last);
});
