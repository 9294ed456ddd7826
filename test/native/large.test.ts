/** kolla_set_configs of kolla-core with a file larger than memory, and stopped while copying one. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { readFileSync, readdirSync, statSync, truncateSync, watch } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';
import { canBuildCore, coreBinary, placeCore } from '../cluster/core-binary.ts';
import { entry } from '../contract/set-configs/entries.ts';
import { byCore } from '../contract/set-configs/ours.ts';
import { CONFIG } from '../contract/set-configs/play.ts';
import { plant } from '../contract/set-configs/tree.ts';

const MIB = 2 ** 20;
/** The size of an image for ironic, and a size that is never copied completely. */
const [LARGE, ENDLESS] = [Math.floor(2.3 * 2 ** 30), 2 ** 40];
const NAME = 'kolla_set_configs';
const start = { argv: [], env: { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS' } };
const env = { PATH: process.env['PATH'], ...start.env };

const missing = (await canBuildCore()) ?? (process.geteuid?.() === 0 ? undefined : 'needs root, for chroot');
const skip = missing ?? false;
const directory = await privateDirectory('large-core', inMemory());
after(async () => await directory[Symbol.asyncDispose]());
const { binary } = missing === undefined ? await coreBinary(directory.path, [NAME]) : { binary: '' };

/** A root with a sparse source of this size, and a destination that exists. */
async function rootWithLarge(bytes: number) {
  const root = await privateDirectory('large', inMemory());
  plant(root.path, {
    [`${CONFIG}/config.json`]: JSON.stringify({ command: 'run', config_files: [entry('large', '/etc/x/large')] }),
    [`${CONFIG}/large`]: 'new',
    'etc/x/large': 'old',
  });
  truncateSync(join(root.path, CONFIG, 'large'), bytes);
  return root;
}

for (const [mib, ends, size] of [
  [8, 0, LARGE],
  // One MiB is used up before the script's first line runs.
  [1, 70, 'old'.length],
] as const)
  test(`installing a file of 2.3 GB with ${mib} MiB of memory exits with code ${ends}`, { skip }, async () => {
    await using root = await rootWithLarge(LARGE);
    const placed = await placeCore(binary, root.path, NAME);
    const limited = `ulimit -d ${mib * 1024}; exec "$@"`;
    const { code, stderr } = await run('sh', ['-c', limited, 'sh', ...placed.call], { env });
    assert.equal(code, ends, stderr);
    const found = statSync(join(root.path, 'etc/x/large'));
    assert.equal(found.size, size);
    assert.ok(found.blocks * 512 < MIB, 'holes stay holes');
  });

test('SIGTERM ends a long copy, which keeps the old file, and the next start converges', { skip }, async () => {
  await using root = await rootWithLarge(ENDLESS);
  const at = join(root.path, 'etc/x');
  const placed = await placeCore(binary, root.path, NAME);
  const [program, ...words] = placed.call;
  const watcher = watch(at);
  const child = spawn(program, words, { env, stdio: 'ignore' });
  for await (const [, name] of on(watcher, 'change')) if (/\.kolla-/.test(String(name))) break;
  watcher.close();
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGTERM']);
  assert.equal(readFileSync(join(at, 'large'), 'utf8'), 'old');
  placed.remove();
  truncateSync(join(root.path, CONFIG, 'large'), 'new'.length);
  assert.equal((await byCore(binary)({ root: root.path, ...start })).code, 0);
  assert.equal(readFileSync(join(at, 'large'), 'utf8'), 'new');
  assert.deepEqual(readdirSync(at), ['large']);
});
