/** Output of kolla-pod configmaps, applied to a real API server. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import {
  configmaps,
  contentOf,
  mounts,
  projected,
  takes,
  writeService,
  type Printed,
} from '../toolbox/configmaps/directory.ts';
import { namespaceName, sharedControlPlane, type SharedControlPlane } from '../servers/index.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';

const NAMESPACE = namespaceName('openstack');
const LIMIT = 1_048_576;
const FILES: Readonly<Record<string, string | Buffer>> = {
  'keystone.conf': '[database]\nconnection = mysql+pymysql://keystone:hidden@db/keystone\n',
  'domains/keystone.Über uns.conf': '[identity]\ndriver = sql\n',
  'policy.yaml': '"a": "b"\n',
  'logo.png': Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
  '012': '0123\n',
  spaces: '\r\n \t\n\n  yes é 😀\n\n',
  ...Object.fromEntries(
    ['\u0085', '\u2028', '\u007f', '\u001b', '\ufeff', '\uffff'].map((one, i) => [`c${i}`, `${one}a${one} b\n`]),
  ),
};

describe('the objects of kolla-pod configmaps', { skip: (await canRunControlPlane()) ?? false }, () => {
  let cluster: SharedControlPlane;
  let directory: Directory;
  before(async () => {
    cluster = await sharedControlPlane();
    await cluster.createNamespace(NAMESPACE);
    directory = await privateDirectory('configmaps');
    await writeService(
      directory.path,
      FILES,
      Object.keys(FILES).map((path) => takes(path, '0644')),
    );
  });
  after(async () => {
    await directory[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  const print = async (...args: string[]) => {
    const { code, stdout, stderr } = await configmaps(directory.path, '--name', 'keystone', '-n', NAMESPACE, ...args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const apply = (text: string) => cluster.kubectl(['apply', '--server-side', '--filename=-'], text);
  const stored = async () => {
    const list = await cluster.kubectl(['get', 'configmaps,secrets', `--namespace=${NAMESPACE}`, '--output=json']);
    const { items } = JSON.parse(list) as { items: Printed[] };
    return items.filter(({ metadata }) => metadata.name.startsWith('keystone'));
  };

  for (const form of [[], ['--bundle', 'service'], ['--reload', 'live'], ['-o', 'json', '--bundle', 'service']])
    test(`are accepted, and a Pod that mounts them has every file: ${form.join(' ') || 'one per file'}`, async () => {
      await apply(await print(...form));
      const layout = form.filter((word) => !['-o', 'json'].includes(word));
      const volume = await mounts(directory.path, '--name', 'keystone', ...layout);
      const files = projected(volume, await stored());
      const wanted = { ...FILES, 'config.json': await readFile(join(directory.path, 'config.json')) };
      for (const [path, content] of Object.entries(wanted))
        assert.deepEqual(files.get(path), Buffer.from(content), path);
      assert.equal(files.size, Object.keys(wanted).length);
      const container = { name: 'c', image: 'none.test/c:1', volumeMounts: volume.volumeMounts };
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: { containers: [container], volumes: volume.volumes },
      };
      const args = ['create', '--dry-run=server', `--namespace=${NAMESPACE}`, '--filename=-'];
      assert.match(await cluster.kubectl(args, JSON.stringify(pod)), /pod\/p created/);
    });

  test('are unchanged when applied again; new content is a new object next to the old one, which is immutable', async () => {
    await apply(await print());
    const earlier = await stored();
    await apply(await print());
    assert.deepEqual(await stored(), earlier);
    await writeFile(join(directory.path, 'policy.yaml'), '"a": "c"\n');
    await apply(await print());
    const added = (await stored()).filter(({ metadata }) =>
      earlier.every((old) => old.metadata.name !== metadata.name),
    );
    assert.deepEqual(
      added.map((object) => contentOf(object, 'policy.yaml')?.toString()),
      ['"a": "c"\n'],
    );
    const [{ metadata } = { metadata: { name: '' } }] = added;
    const patch = [
      'patch',
      'configmap',
      metadata.name,
      `--namespace=${NAMESPACE}`,
      '--type=merge',
      '--patch={"data":{"x":"y"}}',
    ];
    await assert.rejects(cluster.kubectl(patch), /immutable/);
  });

  test('get the new content in place with --reload live', async () => {
    await apply(await print('--reload', 'live'));
    await writeFile(join(directory.path, 'policy.yaml'), '"a": "d"\n');
    await apply(await print('--reload', 'live'));
    const object = (await stored()).find(({ metadata }) => metadata.name === 'keystone-policy.yaml');
    assert.equal(object && contentOf(object, 'policy.yaml')?.toString(), '"a": "d"\n');
  });

  test("our limit equals the API server's: both accept 1 MiB and reject one byte more", async () => {
    await using large = await privateDirectory('configmaps');
    for (const [path, kind] of [
      ['big', 'ConfigMap'],
      ['secret', 'Secret'],
    ] as const) {
      await writeService(large.path, { [path]: '"\n'.repeat(LIMIT / 2) }, [takes(path, '0644')]);
      const args = [
        large.path,
        '--name',
        `large-${path}`,
        '-n',
        NAMESPACE,
        '--exclude',
        path === 'big' ? 'secret' : 'big',
      ];
      const { stdout } = await configmaps(...args);
      assert.match(
        await apply(stdout),
        new RegExp(`${kind.toLowerCase()}/large-${path}-${path}-\\S+ serverside-applied`),
      );
    }
    const over = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'over' },
      data: { a: 'x'.repeat(LIMIT + 1) },
    };
    await assert.rejects(apply(JSON.stringify(over)), /[Tt]oo long|must have at most/);
    await writeFile(join(large.path, 'big'), 'x'.repeat(LIMIT + 1));
    assert.match((await configmaps(large.path, '--name', 'large')).stderr, /big has 1048577 bytes/);
  });
});
