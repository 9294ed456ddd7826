import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { CHARTS } from '../../build/charts.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { filesOf, SERVICE_CHARTS, workloadsOf } from './service-charts.ts';
import { rendering } from './support.ts';

const CLOSES = /^ *add-header = Connection: close$/m;

/** Values specific to one service: program, port, log, and concurrent requests; Glance has an additional line. */
const OWN = /^(?:module|http|logto2|processes|threads|chunked-input-limit) = |^#/;

async function uwsgiFilesOf(chart: string, values: object = {}): Promise<[name: string, text: string][]> {
  await using helm = await rendering(chart);
  const rendered = await helm.render(values);
  return workloadsOf(rendered).flatMap((one) =>
    [...filesOf(rendered, one)].filter(([name]) => name.endsWith('-uwsgi.ini')),
  );
}

describe('uWSGI', { skip: (await canRunHelm()) ?? false }, () => {
  for (const chart of ['keystone', ...SERVICE_CHARTS].filter((name) => !name.startsWith('nova-c')))
    test(`${chart}: announces that it closes each connection`, async () => {
      const files = await uwsgiFilesOf(chart);
      assert.notDeepEqual(files, []);
      for (const [name, text] of files) assert.match(text, CLOSES, name);
    });

  test('is configured the same in all charts', async () => {
    const common = (text = '') => text.split('\n').filter((line) => line !== '' && !OWN.test(line));
    const [[, placement] = []] = await uwsgiFilesOf('placement');
    for (const chart of ['keystone', 'glance', 'nova', 'cinder', 'heat', 'neutron'])
      for (const [name, text] of await uwsgiFilesOf(chart)) assert.deepEqual(common(text), common(placement), name);
  });

  test('keystone: takes its processes and threads from settings', async () => {
    const [[, text] = ['', '']] = await uwsgiFilesOf('keystone', { settings: { processes: 5, threads: 7 } });
    assert.match(text, /^processes = 5$/m);
    assert.match(text, /^threads = 7$/m);
    assert.match(text, /^http = 0\.0\.0\.0:5000$/m);
  });
});

for (const file of [
  '../manifests/keystone/config.yaml',
  '../examples/keystone/config.yaml',
  '../examples/placement/config.yaml',
  '../../images/compose/keystone/keystone-uwsgi.ini',
])
  test(`uWSGI of ${file.replaceAll('../', '')} announces that it closes each connection`, () => {
    const text = readFileSync(join(CHARTS, file), 'utf8');
    assert.match(text, /^ *\[uwsgi\]$/m);
    assert.match(text, CLOSES);
  });
