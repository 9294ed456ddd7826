import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chartNames } from '../../build/charts.ts';
import { planPod, type Container } from '../../src/config/volumes/index.ts';
import { bringsCaCertificates } from '../../src/container/start/index.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { workloadsOf } from './service-charts.ts';
import { rendering, sourcesOf, textAt, type KubeObject, type Rendered, type Rendering } from './support.ts';

const SMALL = fileURLToPath(new URL('fixtures/small', import.meta.url));
const skip = (await canRunHelm()) ?? false;

describe('mounts equal the output of kolla-init plan', { skip }, () => {
  for (const name of chartNames())
    test(`of the chart ${name}`, async () => {
      await using chart = await rendering(name);
      const rendered = await chart.render();
      for (const workload of workloadsOf(rendered)) {
        const { planned: all, mounted } = await mountsOf(rendered, workload);
        // A volume of the chart takes the place of a directory that kolla-init would fill in its own.
        const replaced = (line: string) =>
          / kolla /.test(line) && mounted.includes(line.replace(/: kolla .*$/, ': data'));
        const planned = all.filter((line) => !replaced(line));
        const [there, more] = partition(mounted, planned);
        assert.deepEqual(there, planned, workload.metadata.name);
        // All other mounts are volumes of the chart itself.
        for (const mount of more) assert.match(mount, /: (?:data|kolla .*)$/, workload.metadata.name);
      }
    });

  test('a volume with a source of config.json is mounted by kolla-init and the sidecar, not by the service', async () => {
    await using small = await rendering('small', SMALL);
    const entry = { source: '/srv/keys/of/*', dest: '/etc/small/keys/', owner: 'placement', perm: '0600' };
    const volumes = {
      keys: { mountPath: '/srv/keys', source: { secret: { secretName: 'keys' } } },
      other: { mountPath: '/srv/keys-too', source: { emptyDir: {} } },
    };
    const configJson = { command: 'bash', config_files: [entry] };
    const rendered = await small.render({ workloads: { api: { configJson, volumes }, worker: { enabled: false } } });
    const { containers, initContainers } = rendered.one('Deployment', 'small-api')['spec'].template.spec;
    const found = [...containers, ...initContainers].flatMap(({ name, volumeMounts }: Container & { name: string }) =>
      volumeMounts.flatMap((mount) =>
        mount.mountPath.startsWith('/srv') ? [`${name} ${mount.mountPath}${mount.readOnly ? ' read-only' : ''}`] : [],
      ),
    );
    assert.deepEqual(found.toSorted(), [
      'kolla-init /srv/keys read-only',
      'kolla-sidecar /srv/keys read-only',
      'kolla-sidecar /srv/keys-too',
      'small-api /srv/keys-too',
    ]);
  });

  describe('of a generated config.json', () => {
    let small: Rendering;
    before(async () => {
      small = await rendering('small', SMALL);
    });
    after(async () => await small?.[Symbol.asyncDispose]());

    const owner = 'placement';
    const cases: Record<string, object> = {
      'files in directories shared by the system': {
        config_files: [
          { source: '/var/lib/kolla/config_files/a', dest: '/usr/bin/a', owner, perm: '0755' },
          { source: '/var/lib/kolla/config_files/b', dest: '/etc/hosts.allow', owner, perm: '0644' },
          { source: '/var/lib/kolla/config_files/c', dest: '/etc/', owner, perm: '0644' },
        ],
      },
      'nested directories, and directories with only an owner': {
        config_files: [
          { source: '/var/lib/kolla/config_files/a', dest: '/etc/small/deep/er/a', owner, perm: '0600' },
          { source: '/var/lib/kolla/config_files/b', dest: '/etc/small/b', owner, perm: '0600' },
          { source: '/var/lib/kolla/config_files/c', dest: '/etc/small-too/c', owner, perm: '0600' },
          { source: '/var/lib/kolla/config_files/d', dest: '/var/lib/small/conf/d', owner, perm: '0600' },
        ],
        directories: [{ path: '/var/lib/small/data/', owner, perm: '0700' }],
        permissions: [
          { path: '/var/log/kolla/small', owner },
          { path: '/var/lib/small', owner, recurse: true },
          { path: '/etc/small/keys', owner },
          { path: '/var/lib/other/*.d', owner },
          { path: '/tmp/small', owner },
        ],
      },
      'links that every image has, and created files': {
        config_files: [{ source: '/var/lib/kolla/config_files/a', dest: '/var/run/small/a', owner, perm: '0600' }],
        files: [{ path: '/var/lib/small/lock', owner, perm: '0600' }],
        directories: [{ path: '/run/lock/small', owner, perm: '0755' }],
      },
      'CA certificates, patterns and optional sources': {
        config_files: [
          {
            source: '/var/lib/kolla/config_files/ca-certificates',
            dest: '/var/lib/kolla/share/ca-certificates',
            owner,
            perm: '0600',
            optional: true,
          },
          {
            source: '/var/lib/kolla/config_files/*.conf',
            dest: '/etc/small/conf.d/',
            owner,
            perm: '0600',
            optional: true,
          },
          { source: '/etc/ceph/ceph.conf', dest: '/etc/ceph-too/', owner, perm: '0600', optional: true },
        ],
      },
      'data below a directory that kolla-init fills': {
        config_files: [{ source: '/var/lib/kolla/config_files/a', dest: '/srv/small/a', owner, perm: '0600' }],
        directories: [{ path: '/srv/other/one/two', owner, perm: '0755' }],
        permissions: [{ path: '/srv/other', owner }],
      },
    };
    for (const [name, config] of Object.entries(cases))
      test(name, async () => {
        const configJson = { command: 'bash', ...config };
        const rendered = await small.render({
          workloads: { api: { configJson, probes: {} }, worker: { enabled: false } },
        });
        const { planned, mounted } = await mountsOf(rendered, rendered.one('Deployment', 'small-api'));
        assert.deepEqual(mounted, planned);
      });
  });
});

function partition(all: readonly string[], chosen: readonly string[]): [string[], string[]] {
  return [all.filter((each) => chosen.includes(each)), all.filter((each) => !chosen.includes(each))];
}

/** Mounts that the library adds to config.json's. */
const OWN = new Set(['/etc/kolla-pod', '/var/run/secrets/kubernetes.io/serviceaccount', '/opt/kolla-pod']);

interface Mounts {
  /** Mounts as `CONTAINER PATH: VOLUME SUBPATH`. Data volumes are all named `data`. */
  readonly planned: readonly string[];
  readonly mounted: readonly string[];
}

/** The mounts of a workload's service and kolla-init, from the chart and from `kolla-init plan`. */
async function mountsOf(rendered: Rendered, workload: KubeObject): Promise<Mounts> {
  const { spec } = workload['spec'].template;
  await using directory = await privateDirectory('plan');
  for (const [path, reference] of Object.entries(sourcesOf(workload))) {
    const file = join(directory.path, path);
    await mkdir(dirname(file), { recursive: true });
    // The chart does not own an existing object, so its content is unknown here.
    const [kind, name] = reference.split('/');
    const isOurs = rendered.all.some((object) => object.kind === kind && object.metadata.name === name);
    await writeFile(file, isOurs ? textAt(rendered, reference) : '');
  }
  const plan = await planPod({
    configDir: directory.path,
    configFile: undefined,
    imageRoot: undefined,
    // plan rejects root. Pods that run as root, which are not restricted, have the same mounts as those of other users.
    user: `${spec.securityContext.runAsUser || 42_436}`,
    name: workload.metadata.name,
    more: (sources) => (bringsCaCertificates(sources) ? ['/etc/ssl/certs', '/usr/local/share/ca-certificates'] : []),
    initArguments: [],
    environment: [],
  });
  assert.ok(plan.spec);
  const init = spec.initContainers.find(({ name }: { name: string }) => name === 'kolla-init');
  return {
    planned: [...lines('service', plan.spec.containers[0]), ...lines('init', plan.spec.initContainers[0])],
    mounted: [...lines('service', spec.containers[0]), ...lines('init', init)],
  };
}

const SHARED = new Set(['kolla', 'logs', 'tmp', 'config-files']);

function lines(of: string, { volumeMounts }: Pick<Container, 'volumeMounts'>): string[] {
  return volumeMounts
    .filter(({ mountPath }) => !OWN.has(mountPath))
    .map(({ name, mountPath, subPath, readOnly }) => {
      const volume = SHARED.has(name) ? [name, subPath ?? '', readOnly ? 'read-only' : ''].join(' ').trim() : 'data';
      return `${of} ${mountPath}: ${volume}`;
    })
    .toSorted();
}
