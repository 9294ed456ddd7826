/** What `helm test` of each chart runs, and the notes that name it. On a real node: test/e2e/release.test.ts. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { chartNames } from '../../build/charts.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { wordsAfter } from './service-charts.ts';
import { PASSWORDS, rendering, type Rendered, type Rendering } from './support.ts';

const REFERENCE = 'r.example/kolla-pod:1';
const podOf = (tests: Rendered) => tests.one('Pod', '')['spec'];
const waitsIn = (tests: Rendered): readonly string[] => wordsAfter(podOf(tests).containers[0].command, '--wait');

describe('helm test', { skip: (await canRunHelm()) ?? false }, () => {
  for (const name of chartNames())
    test(`${name}: asks each port that its Services open, in one Pod without a token`, async () => {
      await using chart = await rendering(name);
      const [rendered, tests] = [await chart.render(), await chart.tests()];
      const open = rendered.of('Service').filter(({ spec }) => spec.clusterIP !== 'None');
      const ports = open.flatMap(({ metadata, spec }) =>
        (spec.ports as { port: number }[]).map(({ port }) => `${metadata.name}:${port}`),
      );
      // Compute nodes have no Service: their readiness is connections of their own.
      assert.equal(tests.all.length, name === 'nova-compute' ? 0 : 1);
      if (tests.all.length === 0) return assert.deepEqual(ports, []);
      assert.equal(podOf(tests).automountServiceAccountToken, false);
      const asked = waitsIn(tests).map((wait) => /^(?:tcp|http):\/\/([^/]+)/.exec(wait)?.[1] ?? wait);
      assert.deepEqual(asked.toSorted(), ports.toSorted());
    });

  test('requests the path that readiness requests, with TLS by https', async () => {
    await using chart = await rendering('keystone');
    assert.ok(waitsIn(await chart.tests()).includes('http://keystone:5000/healthcheck'));
    const secure = await chart.tests({ global: { tls: { enabled: true } } });
    assert.ok(waitsIn(secure).includes('https://keystone:5000/healthcheck'));
    const { containers, volumes } = podOf(secure);
    const [ca = ''] = wordsAfter(containers[0].command, '--ca-file');
    const mount = containers[0].volumeMounts.find(({ mountPath }: { mountPath: string }) =>
      ca.startsWith(`${mountPath}/`),
    );
    assert.equal(volumes.find(({ name }: { name: string }) => name === mount.name).secret.secretName, 'openstack-ca');
  });

  test('its Pod is assigned to the nodes of the service, and tolerates their taints', async () => {
    await using chart = await rendering('placement');
    const tolerations = { controller: [{ key: 'openstack', operator: 'Exists' }] };
    const global = { labels: { controller: { 'node/for': 'openstack' } }, tolerations };
    const pod = podOf(await chart.tests({ global, workloads: { api: { nodeSelector: { disk: 'ssd' } } } }));
    assert.deepEqual(pod.nodeSelector, { 'node/for': 'openstack', disk: 'ssd' });
    assert.deepEqual(pod.tolerations, tolerations.controller);
    assert.equal(pod.topologySpreadConstraints, undefined);
  });

  test('a workload that is off, or has no replicas, is not asked', async () => {
    await using chart = await rendering('heat');
    const workloads = { api: { replicas: 0 }, 'api-cfn': { enabled: false } };
    assert.deepEqual((await chart.tests({ workloads })).all, []);
  });

  test('kolla-init comes from our image, from the volume, or from the service', async () => {
    await using chart = await rendering('placement');
    const containerWith = async (delivery: string) => {
      const kollaPod = { delivery, image: { reference: REFERENCE } };
      const { containers, volumes } = podOf(await chart.tests({ kollaPod }));
      const [{ image, command }] = containers;
      return [image, command[0], volumes.find(({ name }: { name: string }) => name === 'kolla-pod')?.image.reference];
    };
    assert.deepEqual(await containerWith('copied'), [REFERENCE, 'kolla-init', undefined]);
    assert.deepEqual(await containerWith('baked'), ['kolla/placement-api:2025.2', 'kolla-init', undefined]);
    const volume = ['kolla/placement-api:2025.2', '/opt/kolla-pod/bin/kolla-init', REFERENCE];
    assert.deepEqual(await containerWith('imageVolume'), volume);
  });

  test('the notes name the test, and what the Pods wait for', async () => {
    await using chart = await rendering('keystone');
    const { notes } = await notesOf(chart);
    assert.match(
      notes,
      /^keystone \S+ is release keystone in cloud\. Its Pods wait for:\n\n {2}mysql:\/\/mariadb:3306\n/,
    );
    assert.match(notes, /^ {2}helm test keystone --namespace cloud --logs$/m);
  });

  for (const name of chartNames())
    test(`${name}: the notes end with the next command, on objects that the chart has`, async () => {
      await using chart = await rendering(name);
      const { notes, rendered } = await notesOf(chart);
      const command = /^Next, .+:\n\n {2}kubectl --namespace cloud (.+)\n$/m.exec(notes)?.[1]?.split(' ') ?? [];
      const [verb, ...words] = command;
      const named = (kind: string, object = '') => rendered.of(kind).find(({ metadata }) => metadata.name === object);
      if (verb === 'get') {
        const key = /^jsonpath='\{\.data\.(\w+)\}'$/.exec(wordsAfter(words, '--output')[0] ?? '')?.[1];
        const given = named('Secret', words[1])?.['data'][key ?? ''];
        return assert.equal(Buffer.from(given, 'base64').toString(), PASSWORDS['keystone_admin_password']);
      }
      if (verb === 'port-forward') {
        const ports = named('Service', words[0]?.replace('service/', ''))?.['spec'].ports as { port: number }[];
        return assert.ok(ports.some(({ port }) => port === Number(words[1])));
      }
      assert.equal(verb, 'exec');
      if (words[0] === 'client') return assert.deepEqual(words.slice(1, 3), ['--', 'openstack']);
      const workload = named('StatefulSet', words[0]?.replace(/-0$/, ''));
      const containers = workload?.['spec'].template.spec.containers as { name: string }[];
      assert.deepEqual(
        containers.map((each) => each.name),
        wordsAfter(words, '--container'),
      );
    });
});

/** NOTES.txt for the namespace `cloud`, and the chart's objects. Helm prints it only where a cluster is; this is the same
 * template as an object. */
async function notesOf(chart: Rendering): Promise<{ notes: string; rendered: Rendered }> {
  const include = await readFile(join(chart.chart, 'templates/NOTES.txt'), 'utf8');
  const text = include.trim().replace(' }}', ' | toJson }}');
  await writeFile(join(chart.chart, 'templates/notes.yaml'), `kind: Notes\nmetadata: { name: x }\ntext: ${text}\n`);
  const rendered = await chart.render({}, ['--namespace', 'cloud']);
  return { notes: rendered.one('Notes', 'x')['text'] as string, rendered };
}
