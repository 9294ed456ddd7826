import assert from 'node:assert/strict';
import { appendFile, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chartNames, stageChart } from '../../build/charts.ts';
import { canRunHelm, helmBinary } from '../../tools/helm.ts';
import { keptResult, keyOf, prune } from '../../tools/helm-results.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';
import { GLOBALS } from './support.ts';

const SMALL = fileURLToPath(new URL('fixtures/small', import.meta.url));
const LIBRARY = 'charts/kolla-pod';

/** A chart and values in a private directory, and Helm with an empty cache, whose runs are counted. */
async function fixture() {
  await using parts = new AsyncDisposableStack();
  const { path: directory } = parts.use(await privateDirectory('chart'));
  const { path: store } = parts.use(await privateDirectory('results'));
  const binary = await helmBinary();
  const chart = stageChart('small', directory, SMALL);
  const values = join(directory, 'values.json');
  await writeFile(values, JSON.stringify({ global: GLOBALS }));
  const template = ['template', 'small', chart, '--values', values];
  let runs = 0;
  const kept = parts.move();
  return {
    binary,
    directory,
    store,
    chart,
    values,
    template,
    runs: () => runs,
    helm: async (args: readonly string[] = template) => {
      const execute = () => {
        runs++;
        return run(binary, args, { env: { PATH: process.env['PATH'], HOME: directory } });
      };
      return await keptResult({ binary, directory, args }, execute, store);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

describe('cached results of Helm', { skip: (await canRunHelm()) ?? false, concurrency: 2 }, () => {
  test('a second identical rendering does not run Helm, even from another directory', async () => {
    await using one = await fixture();
    await using other = await fixture();
    const first = await one.helm();
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /^kind: Deployment$/m);
    assert.deepEqual(await one.helm(), first);
    assert.equal(one.runs(), 1);
    const [name = ''] = await readdir(one.store);
    await writeFile(join(other.store, name), await readFile(join(one.store, name)));
    assert.deepEqual(await other.helm(), first);
    assert.equal(other.runs(), 0);
  });

  for (const [what, path] of [
    ['a template', 'templates/all.yaml'],
    ['the values of the chart', 'values.yaml'],
    ['the defaults of the chart', 'defaults.yaml'],
    ['a file that a template reads', 'files/small.conf'],
    ['a template of the library', `${LIBRARY}/templates/_words.tpl`],
    ["the library's values", `${LIBRARY}/values.yaml`],
    ['the schema', 'values.schema.json'],
    ['the given values', '../values.json'],
  ] as const)
    test(`one more byte in ${what} renders again`, async () => {
      await using small = await fixture();
      const before = keyOf({ ...small, args: small.template });
      await small.helm();
      await appendFile(join(small.chart, path), '\n');
      await small.helm();
      assert.equal(small.runs(), 2);
      assert.notEqual(keyOf({ ...small, args: small.template }), before);
    });

  test('a changed template and changed values take effect', async () => {
    await using small = await fixture();
    const sees = async (text: string) => (await small.helm()).stdout.includes(text);
    assert.equal(await sees('kind: Witness'), false);
    await appendFile(
      join(small.chart, 'templates/all.yaml'),
      '\n---\nkind: Witness\nof: {{ (.Values.settings).word }}\n',
    );
    assert.equal(await sees('kind: Witness'), true);
    assert.equal(await sees('of: changed'), false);
    const settings = { word: 'changed' };
    await writeFile(small.values, JSON.stringify({ settings, global: GLOBALS }));
    assert.equal(await sees('of: changed'), true);
  });

  test('different arguments, or another Helm, are not served from the cache', async () => {
    await using small = await fixture();
    const { binary, directory, template, chart, values } = small;
    const calls = [
      { binary, directory, args: template },
      { binary: process.execPath, directory, args: template },
      { binary, directory, args: [...template, '--namespace', 'other'] },
      { binary, directory, args: ['template', 'other', chart, '--values', values] },
      { binary, directory, args: ['lint', chart, '--values', values] },
      { binary, directory, args: ['lint', chart, '--strict', `--values=${values}`] },
    ];
    const keys = calls.map((call) => keyOf(call));
    assert.ok(!keys.includes(undefined));
    assert.equal(new Set(keys).size, calls.length);
  });

  test("an error is cached with its exit code and the caller's directory", async () => {
    await using one = await fixture();
    await using other = await fixture();
    for (const { chart } of [one, other]) await appendFile(join(chart, 'templates/all.yaml'), '{{ notThis }}');
    const first = await one.helm(['lint', one.chart]);
    assert.equal(first.code, 1);
    assert.match(first.stdout + first.stderr, /function "notThis" not defined/);
    assert.ok(first.stdout.includes(one.chart), first.stdout);
    assert.deepEqual(await one.helm(['lint', one.chart]), first);
    assert.equal(one.runs(), 1);
    for (const name of await readdir(one.store))
      await writeFile(join(other.store, name), await readFile(join(one.store, name)));
    const second = await other.helm(['lint', other.chart]);
    assert.equal(other.runs(), 0);
    assert.equal(second.stdout, first.stdout.replaceAll(one.directory, other.directory));
  });

  test('output that depends on time, randomness or a cluster is not cached', async () => {
    await using small = await fixture();
    const place = { binary: small.binary, directory: small.directory };
    for (const option of ['--validate', '--dry-run=server', '--kubeconfig=x', '--post-renderer=x', '--repo=https://x'])
      assert.equal(keyOf({ ...place, args: [...small.template, option] }), undefined, option);
    for (const command of ['install', 'upgrade', 'package', 'pull'])
      assert.equal(keyOf({ ...place, args: [command, 'small', small.chart] }), undefined, command);
    assert.equal(keyOf({ ...place, args: ['template', 'small', 'oci://registry.example/small'] }), undefined);
    assert.equal(keyOf({ ...place, args: [...small.template, '--values', `${small.directory}/none`] }), undefined);
    await appendFile(join(small.chart, 'templates/all.yaml'), '\n---\nkind: Chance\nis: {{ randAlphaNum 20 }}\n');
    assert.equal(keyOf({ ...place, args: small.template }), undefined);
    assert.notEqual((await small.helm()).stdout, (await small.helm()).stdout);
    assert.equal(small.runs(), 2);
  });

  test('results of all our charts can be cached', async () => {
    for (const name of chartNames()) {
      await using directory = await privateDirectory('chart');
      const binary = await helmBinary();
      const args = ['template', name, stageChart(name, directory.path)];
      assert.notEqual(keyOf({ binary, directory: directory.path, args }), undefined, name);
    }
  });

  test('results unused for a long time are removed', async () => {
    await using small = await fixture();
    const [old, young] = [join(small.store, 'old.json'), join(small.store, 'young.json')];
    for (const file of [old, young]) await writeFile(file, '{}');
    await utimes(old, 0, 0);
    await prune(small.store);
    assert.deepEqual(await readdir(small.store), ['young.json']);
  });
});
