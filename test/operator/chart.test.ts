import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { VERSION } from '../../src/core/version.ts';
import { findChart } from '../../src/operator/helm/chart.ts';
import { merge } from '../../src/operator/helm/values.ts';
import { privateDirectory } from '../../tools/directory.ts';

test('the newest version of a chart is found, as archive or directory, or the one that is asked for', async () => {
  await using directory = await privateDirectory('charts');
  const at = (name: string) => join(directory.path, name);
  for (const version of ['0.9.0', '0.10.0', '0.10.0-rc.1']) await writeFile(at(`nova-${version}.tgz`), '');
  await writeFile(at('nova-cell-2.0.0.tgz'), '');
  await mkdir(at('glance'));
  await writeFile(at('glance/Chart.yaml'), 'name: glance\nversion: "1.2.3"\n');
  const find = async (name: string, version?: string) => (await findChart(directory.path, name, version)).version;
  assert.equal(await find('nova'), '0.10.0');
  assert.equal(await find('nova', '0.10.0-rc.1'), '0.10.0-rc.1');
  assert.equal(await find('nova-cell'), '2.0.0');
  assert.equal(await find('glance'), '1.2.3');
  await assert.rejects(find('nova', '3.0.0'), /no chart 'nova' of version 3\.0\.0 in /);
  await assert.rejects(find('glanc'), /no chart 'glanc' in .*; did you mean 'glance'\?/);
  await assert.rejects(findChart(at('none'), 'nova', undefined), /none can't be read/);
});

test('a chart in a registry has the version of kolla-pod unless another is asked for', async () => {
  const chart = await findChart('oci://registry.test/charts/', 'nova', undefined);
  assert.deepEqual(chart, { name: 'nova', version: VERSION, reference: 'oci://registry.test/charts/nova' });
});

test('values are merged as by Helm: mappings by key, lists and everything else as a whole', () => {
  const below = { a: { b: 1, c: [1, 2], d: { e: 1 } }, f: 1 };
  const above = { a: { b: null, c: [3], d: { g: 2 } }, f: { h: 1 } };
  assert.deepEqual(merge(below, above), { a: { b: null, c: [3], d: { e: 1, g: 2 } }, f: { h: 1 } });
});
