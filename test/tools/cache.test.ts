import assert from 'node:assert/strict';
import { mkdir, readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { run, type Finished } from '../../tools/process.ts';

/** Runs code that uses `cached` in a separate process, with `directory` as the cache. */
function withCache(directory: string, body: string): Promise<Finished> {
  const module = `import { writeFileSync } from 'node:fs';
    import { cached } from ${JSON.stringify(import.meta.resolve('../../tools/cache.ts'))};
    ${body}`;
  const env = { ...process.env, KOLLA_POD_CACHE: directory };
  return run(process.execPath, ['--input-type=module', '--eval', module], { env });
}

const BUILD =
  "await cached('part', ['1'], async (into) => writeFileSync(into + '/a', '')); console.log('built or found');";

test('a cached object is built once', async () => {
  await using directory = await privateDirectory('cache');
  await withCache(directory.path, BUILD);
  const { stdout } = await withCache(
    directory.path,
    "await cached('part', ['1'], async () => console.log('built again')); await cached('part', ['2'], async () => console.log('other'));",
  );
  assert.equal(stdout, 'other\n');
});

test('the unfinished build of a killed run is removed by the next build', async () => {
  await using directory = await privateDirectory('cache');
  await withCache(directory.path, "await cached('other', [], async () => process.kill(process.pid, 'SIGKILL'));");
  assert.match((await readdir(directory.path)).join(), /^\.other-\d+/);
  const { stdout } = await withCache(directory.path, BUILD);
  assert.equal(stdout, 'built or found\n');
  assert.match((await partsIn(directory.path)).join(), /^part-[0-9a-f]{12}$/);
});

test('builds under former keys unused for two weeks are removed by the next build of their name', async () => {
  await using directory = await privateDirectory('cache');
  const [old, recent, other] = ['part-000000000000', 'part-111111111111', 'part-two-000000000000'];
  for (const name of [old, recent, other]) await mkdir(join(directory.path, name));
  const threeWeeksAgo = new Date(Date.now() - 21 * 24 * 3600 * 1000);
  for (const name of [old, other]) await utimes(join(directory.path, name), threeWeeksAgo, threeWeeksAgo);
  await withCache(directory.path, BUILD);
  const names = await partsIn(directory.path);
  assert.deepEqual(
    [old, recent, other].filter((name) => names.includes(name)),
    [recent, other],
  );
  assert.equal(names.length, 3);
});

test('a lookup counts as use, and does not change the object', async () => {
  await using directory = await privateDirectory('cache');
  await withCache(directory.path, BUILD);
  const [name = ''] = await partsIn(directory.path);
  const [place, mark] = [join(directory.path, name), join(directory.path, 'used', name)];
  const before = await stat(place);
  const threeWeeksAgo = new Date(Date.now() - 21 * 24 * 3600 * 1000);
  await utimes(mark, threeWeeksAgo, threeWeeksAgo);
  await withCache(directory.path, BUILD);
  assert.equal((await stat(place)).ctimeMs, before.ctimeMs);
  await withCache(directory.path, "await cached('part', ['2'], async () => {});");
  assert.ok((await partsIn(directory.path)).includes(name));
  await utimes(mark, threeWeeksAgo, threeWeeksAgo);
  await withCache(directory.path, "await cached('part', ['3'], async () => {});");
  assert.ok(!(await partsIn(directory.path)).includes(name));
});

/** The content of a cache, without its timestamps of use. */
async function partsIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name !== 'used');
}
