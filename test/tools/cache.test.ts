import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { privateFolder } from '../../tools/folder.ts';
import { run, type Finished } from '../../tools/process.ts';

/** Runs a body that uses `cached` in a process of its own, with `folder` as the cache. */
function withCache(folder: string, body: string): Promise<Finished> {
  const module = `import { writeFileSync } from 'node:fs';
    import { cached } from ${JSON.stringify(import.meta.resolve('../../tools/cache.ts'))};
    ${body}`;
  const env = { ...process.env, KOLLA_POD_CACHE: folder };
  return run(process.execPath, ['--input-type=module', '--eval', module], { env });
}

const BUILD =
  "await cached('part', ['1'], async (into) => writeFileSync(into + '/a', '')); console.log('built or found');";

test('what is cached is built once', async () => {
  await using folder = await privateFolder('cache');
  await withCache(folder.path, BUILD);
  const { stdout } = await withCache(
    folder.path,
    "await cached('part', ['1'], async () => console.log('built again')); await cached('part', ['2'], async () => console.log('other'));",
  );
  assert.equal(stdout, 'other\n');
});

test('what a killed run was building is removed by the next one that builds', async () => {
  await using folder = await privateFolder('cache');
  await withCache(folder.path, "await cached('other', [], async () => process.kill(process.pid, 'SIGKILL'));");
  assert.match((await readdir(folder.path)).join(), /^\.other-\d+/);
  const { stdout } = await withCache(folder.path, BUILD);
  assert.equal(stdout, 'built or found\n');
  assert.match((await readdir(folder.path)).join(), /^part-[0-9a-f]{12}$/);
});
