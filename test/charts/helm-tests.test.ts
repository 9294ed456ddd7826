/** What `helm test` of each chart runs, and the notes that name it. On a real node: test/e2e/release.test.ts. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { chartNames } from '../../build/charts.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { runHelper } from '../support/helper.ts';
import { keyOf, wordsAfter, workloadsOf } from './service-charts.ts';
import { rendering, type Rendered } from './support.ts';

const REFERENCE = 'r.example/kolla-pod:1';
const podOf = (tests: Rendered) => tests.one('Pod', '')['spec'];
const waitsIn = (tests: Rendered): readonly string[] => wordsAfter(podOf(tests).containers[0].command, '--wait');

describe('helm test', { skip: (await canRunHelm()) ?? false }, () => {
  for (const name of chartNames())
    test(`${name}: waits for each workload and each port that its Services open, with a Role for just that`, async () => {
      await using chart = await rendering(name);
      const [rendered, tests] = [await chart.render(), await chart.tests()];
      const waits = waitsIn(tests);
      for (const workload of workloadsOf(rendered)) {
        const { kind, metadata } = workload;
        const pods = `pod?label=app.kubernetes.io/instance=${name}&label=app.kubernetes.io/component=${keyOf(workload)}`;
        const own = `${kind.toLowerCase()}/${metadata.name}`;
        assert.ok(
          kind === 'DaemonSet'
            ? waits.includes(pods) && waits.includes(`!${pods}&condition=Ready=False`)
            : waits.includes(own),
        );
      }
      const open = rendered.of('Service').filter(({ spec }) => spec.clusterIP !== 'None');
      const ports = open.flatMap(({ metadata, spec }) =>
        (spec.ports as { port: number }[]).map(({ port }) => `${metadata.name}:${port}`),
      );
      const asked = waits.flatMap((wait) => /^(?:tcp|http):\/\/([^/]+)/.exec(wait)?.[1] ?? []);
      assert.deepEqual(asked.toSorted(), ports.toSorted());
      const { stdout, code } = await runHelper('kolla-init', [
        ...['rbac', '--events', '--namespace', 'openstack', '--service-account', `${name}-test`, '--output', 'json'],
        ...waits.flatMap((wait) => ['--wait', wait]),
      ]);
      assert.equal(code, 0);
      const { items } = JSON.parse(stdout) as { items: { kind: string; rules?: unknown }[] };
      assert.deepEqual(
        tests.of('Role').map(({ rules }) => rules as unknown),
        items.filter(({ kind }) => kind === 'Role').map(({ rules }) => rules),
      );
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

  test('a workload that is off, or has no replicas, is not asked', async () => {
    await using chart = await rendering('heat');
    const workloads = { api: { replicas: 0 }, 'api-cfn': { enabled: false } };
    assert.deepEqual(waitsIn(await chart.tests({ workloads })), ['deployment/heat-api', 'deployment/heat-engine']);
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
    // Helm prints NOTES.txt only where a cluster is; the same template as an object.
    const include = await readFile(join(chart.chart, 'templates/NOTES.txt'), 'utf8');
    const text = include.trim().replace(' }}', ' | toJson }}');
    await writeFile(join(chart.chart, 'templates/notes.yaml'), `kind: Notes\nmetadata: { name: x }\ntext: ${text}\n`);
    const notes = (await chart.render({}, ['--namespace', 'cloud'])).one('Notes', 'x')['text'] as string;
    assert.match(
      notes,
      /^keystone \S+ is release keystone in cloud\. Its Pods wait for:\n\n {2}mysql:\/\/mariadb:3306\n/,
    );
    assert.match(notes, /^ {2}helm test keystone --namespace cloud --logs$/m);
  });
});
