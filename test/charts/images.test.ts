/**
 * kolla-pod images lists what Helm renders:
 *   all charts, packaged, and values -> kolla-pod images, a process
 *                                    -> helm template of each, all `image` of its objects
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chartNames, packageChart } from '../../build/charts.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { runHelper } from '../support/helper.ts';
import { ADMITTED, rendering } from './support.ts';

const REFERENCE = 'registry.example.com/team/kolla-pod:1.2.3';
const kollaPod = { delivery: 'copied', image: { reference: REFERENCE } };
const KOLLA = { registry: 'quay.io/openstack.kolla', tag: '2025.1-debian-bookworm', kollaPod };

const VALUES: readonly (readonly [what: string, values: object])[] = [
  ["Kolla's own images", { global: KOLLA }],
  ['another registry, baked', { global: { registry: 'a.test:5000/b', tag: '1', kollaPod: { delivery: 'baked' } } }],
  [
    'a registry that ends with a slash',
    { global: { registry: 'a.test/b/', tag: '1', kollaPod: { delivery: 'imageVolume' } } },
  ],
  ['our image in that registry', { global: { registry: 'a.test', tag: '1', kollaPod: { delivery: 'imageVolume' } } }],
  [
    'parts of charts, by globals',
    {
      global: {
        ...KOLLA,
        charts: {
          keystone: { image: { registry: 'b.test', tag: `sha256:${'0'.repeat(64)}` }, kollaPod: { delivery: 'baked' } },
          nova: { workloads: { scheduler: { enabled: false }, api: { image: { repository: 'mine', tag: '2' } } } },
          neutron: { workloads: { 'metadata-agent': null } },
          memcached: {
            workloads: {
              memcached: { extraContainers: [{ name: 'x', image: 'exporter.test/x:3', securityContext: ADMITTED }] },
            },
          },
        },
      },
    },
  ],
  [
    'own values above globals',
    { global: { ...KOLLA, charts: { heat: { image: { tag: '4' } } } }, image: { tag: '5' } },
  ],
];

describe('kolla-pod images', { skip: (await canRunHelm()) ?? false }, () => {
  let directory: Directory;
  before(async () => {
    directory = await privateDirectory('images');
    for (const name of chartNames()) packageChart(name, join(directory.path, 'charts'));
  });
  after(async () => await directory?.[Symbol.asyncDispose]());

  const listed = async (values: object, ...args: string[]) => {
    const file = join(directory.path, 'values.json');
    await writeFile(file, JSON.stringify(values));
    return await runHelper('kolla-pod', ['images', ...args, '--values', file], { cwd: directory.path });
  };

  for (const [what, values] of VALUES)
    test(`lists the images that Helm renders: ${what}`, async () => {
      const wanted = new Set<string>();
      for (const name of chartNames()) {
        await using chart = await rendering(name);
        const { all } = await chart.render(values);
        JSON.stringify(all, (key, value: { reference?: string } | string) => {
          // A volume's `image` has the reference inside; so do no other objects of the charts.
          if (key === 'image') wanted.add(typeof value === 'string' ? value : (value.reference ?? ''));
          return value;
        });
      }
      const { code, stdout, stderr } = await listed(values);
      assert.equal(code, 0, stderr);
      assert.deepEqual(stdout.trimEnd().split('\n'), [...wanted].toSorted());
    });

  test('lists only the named charts', async () => {
    const { stdout } = await listed({ global: KOLLA }, 'memcached');
    assert.equal(stdout, `quay.io/openstack.kolla/memcached:2025.1-debian-bookworm\n${REFERENCE}\n`);
  });

  test('rejects an unknown chart, a directory without charts, and values with which Helm would fail', async () => {
    const unknown = await listed({ global: KOLLA }, 'keyston');
    assert.deepEqual([unknown.code, unknown.stdout], [64, '']);
    assert.match(unknown.stderr, /no chart 'keyston'.*keystone/);
    const none = await listed({}, '--charts', '.');
    assert.equal(none.code, 65);
    assert.match(none.stderr, /\. has no packaged charts/);
    const lacking = await listed({ global: { ...KOLLA, kollaPod: { delivery: 'copied' } } });
    assert.equal(lacking.code, 65);
    assert.match(lacking.stderr, /global\.kollaPod\.image\.reference is empty/);
    const template = await listed({
      global: KOLLA,
      workloads: { x: { extraContainers: [{ image: '{{ .Values.x }}' }] } },
    });
    assert.match(template.stderr, /workloads\.x: no template but kolla-pod\.image/);
  });
});
