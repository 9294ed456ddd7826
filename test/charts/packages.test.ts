import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { loadAll } from 'js-yaml';
import { packageChart } from '../../build/charts.ts';
import { canRunHelm, helm } from '../../tools/helm.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';
import { NAMESPACE, GLOBALS, rendering, type KubeObject } from './support.ts';

const skip = (await canRunHelm()) ?? false;

describe('packages', { skip }, () => {
  test('Helm renders the same from the archive as from the directory', async () => {
    await using directory = await privateDirectory('package');
    await using chart = await rendering('keystone');
    const values = join(directory.path, 'values.json');
    await writeFile(values, JSON.stringify({ global: GLOBALS }));
    const archive = packageChart('keystone', directory.path);
    const { code, stdout, stderr } = await helm(directory.path, [
      'template',
      'keystone',
      archive,
      `--namespace=${NAMESPACE}`,
      `--values=${values}`,
      '--skip-tests',
    ]);
    assert.equal(code, 0, stderr);
    const objects = loadAll(stdout).filter((object) => object !== null) as KubeObject[];
    assert.deepEqual(objects, (await chart.render()).all);
  });

  test('an archive includes the library and the schema, and is reproducible', async () => {
    await using one = await privateDirectory('package');
    await using other = await privateDirectory('package');
    const archives = [packageChart('placement', one.path), packageChart('placement', other.path)];
    assert.match(archives[0] ?? '', /\/placement-\d+\.\d+\.\d+\.tgz$/);
    const digests = await Promise.all(archives.map(async (file) => digestOf(await readFile(file))));
    assert.equal(digests[0], digests[1]);
    const names = (await must('tar', ['-tzf', archives[0] ?? ''])).split('\n');
    for (const name of ['values.schema.json', 'charts/kolla-pod/Chart.yaml', 'templates/all.yaml', 'README.md'])
      assert.ok(names.includes(`placement/${name}`), name);
  });
});

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
