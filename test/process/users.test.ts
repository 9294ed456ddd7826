/**
 * The commands that run programs leave nothing of them: kolla-pod's with kolla-core next to it, as in every image.
 */
import assert from 'node:assert/strict';
import { copyFile, link, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { start } from '../../tools/process.ts';
import { canBuildCore, coreBinary } from '../cluster/core-binary.ts';
import { oneFile } from '../config/watch/support.ts';
import { prepared } from '../container/init/watch-support.ts';
import { HELPERS, runHelper, startHelper } from '../support/helper.ts';
import { marking } from '../support/marked.ts';
import { until } from '../support/until.ts';

const missing = await canBuildCore();
const skip = missing ?? false;
const directory = await privateDirectory('users');
after(async () => await directory[Symbol.asyncDispose]());
const node = join(directory.path, 'node');
if (missing === undefined) {
  await coreBinary(directory.path);
  // As another file, because Node's own directory has no kolla-core.
  await link(process.execPath, node).catch(() => copyFile(process.execPath, node));
  for (const name of ['kolla-init', 'kolla-db-sync', 'kolla-probe'])
    await writeFile(join(directory.path, name), `#!/bin/sh\nexec ${node} ${HELPERS} ${name} "$@"\n`, { mode: 0o755 });
}
const names = directory.path;

/** Three ways to leave a process group; `sleep` runs in the foreground of the last one. */
const LEAVES = 'setsid sleep 301 & (nohup setsid sleep 302 >/dev/null 2>&1 &) ; timeout 303 sleep 304';
const SLEEPS = [301, 302, 304].map((seconds) => `sleep ${seconds}`);

test('kolla-pod probe command', { skip }, async (t) => {
  const { env, commands } = marking(t);
  const words = ['command', '--timeout', '1s', '--', 'sh', '-c', LEAVES];
  const { code, stderr } = await runHelper('kolla-probe', words, { env, names });
  assert.equal(code, 1, stderr);
  assert.deepEqual(commands(), []);
});

test('kolla-init watch --on-change exec:', { skip }, async (t) => {
  const { env, commands } = marking(t);
  await using p = await prepared();
  const files = ['--root', p.root, '--config-dir', p.configDir, '--settle', '20ms'];
  await using watch = await startHelper('kolla-init', ['watch', ...files, '--on-change', `exec:sh -c '${LEAVES}'`], {
    env,
    names,
    keepOutput: true,
  });
  let said = '';
  watch.child.stdout?.resume();
  watch.child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until('the watch', () => said.includes('already installed') || undefined);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await until('the command', () => SLEEPS.every((one) => commands().includes(one)) || undefined);
  watch.child.kill('SIGTERM');
  await until('all to end', () => commands().length === 0 || undefined);
});

for (const [end, script, code] of [
  ['is stopped', LEAVES, 143],
  ['ends', LEAVES.replace('timeout 303', 'timeout 0.1'), 69],
] as const)
  test(`kolla-db-sync upgrade-check, which ${end}`, { skip }, async (t) => {
    const { env, commands } = marking(t);
    await using place = await privateDirectory('upgrade-check');
    const file = join(place.path, 'kolla-pod.yaml');
    const upgradeCheck = { argv: ['sh', '-c', script] };
    const x = { databases: [], migration: { phases: { all: [{ argv: ['true'] }] }, upgradeCheck } };
    await writeFile(file, JSON.stringify({ services: { x } }));
    await using check = await startHelper('kolla-db-sync', ['upgrade-check', 'x', '--config', file], {
      env,
      names,
      keepOutput: true,
    });
    let said = '';
    check.child.stdout?.resume();
    check.child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    if (code === 143) {
      await until('the check', () => SLEEPS.every((one) => commands().includes(one)) || undefined);
      check.child.kill('SIGTERM');
    }
    assert.deepEqual([await check.ended, commands()], [code, []], said);
  });

test("the operator's Helm, whose plugin leaves its group", { skip }, async (t) => {
  const { env, commands } = marking(t);
  await using place = await privateDirectory('helm');
  const [helm, main] = [join(place.path, 'helm'), join(place.path, 'main.mts')];
  await writeFile(helm, `#!/bin/sh\n${LEAVES}\n`, { mode: 0o755 });
  const command = new URL('../../src/operator/helm/command.ts', import.meta.url).href;
  await writeFile(
    main,
    `import { template } from '${command}';
     const helm = { file: '${helm}', directory: '${place.path}', inherited: process.env, limits: { ownMs: 500, memoryBytes: 2 ** 30 } };
     const chart = { name: 'x', version: '1', reference: '/x' };
     const what = { namespace: 'n', name: 'x', chart, values: {}, secrets: [] };
     console.log(JSON.stringify(await template(helm, what, '1.34', new AbortController().signal)));`,
  );
  await using running = await start(node, [main], { env, keepOutput: true });
  let said = '';
  running.child.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text));
  await running.ended;
  assert.match(said, /helm was killed: not finished after 1s/);
  assert.deepEqual(commands(), []);
});
