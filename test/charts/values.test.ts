import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { chartNames, CHARTS } from '../../build/charts.ts';
import { canRunHelm, helm } from '../../tools/helm.ts';
import { rendering, type KubeObject, type Rendering } from './support.ts';

const SMALL = fileURLToPath(new URL('fixtures/small', import.meta.url));
const GLOBALS = fileURLToPath(new URL('../../k8s/globals.yml', import.meta.url));
/** The library's defaults, with the one value that they require. */
const REFERENCE = 'r.example/kolla-pod:1';
const BUILT_IN = { global: { registry: undefined, tag: undefined, kollaPod: { image: { reference: REFERENCE } } } };
const skip = (await canRunHelm()) ?? false;

/** k8s/globals.yml, with this reference of our image. */
async function globalsWith(reference: string): Promise<object> {
  const text = await readFile(GLOBALS, 'utf8');
  return load(text.replace('reference: ""', `reference: "${reference}"`)) as object;
}

describe('values', { skip }, () => {
  let small: Rendering;
  before(async () => {
    small = await rendering('small', SMALL);
  });
  after(async () => await small?.[Symbol.asyncDispose]());

  const spec = async (values: object): Promise<KubeObject> =>
    (await small.render(values)).one('Deployment', 'small-api')['spec'].template.spec;

  for (const name of chartNames())
    test(`globals.yml with only our image set has no effect on ${name}, which passes helm lint --strict with it`, async () => {
      await using chart = await rendering(name);
      const globals = await globalsWith(REFERENCE);
      assert.equal(await chart.lint(globals), undefined);
      assert.deepEqual((await chart.render(globals)).all, (await chart.render(BUILT_IN)).all);
    });

  test("globals.yml unchanged is Kolla's images, and the error names what is missing", async () => {
    const said = (await small.complaint(await globalsWith(''))) ?? '';
    assert.match(said, /small: global\.kollaPod\.image\.reference is empty.*set global\.kollaPod\.image\.reference to/);
    const { initContainers, containers } = await spec(await globalsWith(REFERENCE));
    assert.equal(initContainers[0].image, REFERENCE);
    assert.match(containers[0].image, /^quay\.io\/openstack\.kolla\/small:20\d\d\.\d-[a-z]+-[a-z0-9]+$/);
  });

  test("with globals.yml unchanged, a chart's own values apply", async () => {
    const globals = await globalsWith(REFERENCE);
    const own = { config: { reload: 'live' }, networkPolicy: { enabled: false }, logs: { enabled: true } };
    const rendered = await small.render({ ...globals, ...own });
    assert.deepEqual(rendered.of('NetworkPolicy'), []);
    const { sidecar } = load(rendered.one('ConfigMap', 'small-api-kolla-pod')['data']['kolla-pod.yaml']) as KubeObject;
    assert.deepEqual(sidecar['component'], ['probe', 'config-watch', 'log-ship']);
  });

  test('commented values in globals.yml are the defaults', async () => {
    const text = await readFile(GLOBALS, 'utf8');
    const commented = text
      .replaceAll(/^ {2}# ((?:config|logs|jobs|needsTimeout|networkPolicy):)/gm, '  $1')
      .replace('reference: ""', `reference: "${REFERENCE}"`);
    const { global } = load(commented) as { global: object };
    for (const key of ['config', 'logs', 'jobs', 'needsTimeout', 'networkPolicy']) assert.ok(key in global, key);
    assert.equal(await small.lint({ global }), undefined);
    assert.deepEqual((await small.render({ global })).all, (await small.render(BUILT_IN)).all);
  });

  test('globals.yml has every key for which the library has a default', async () => {
    const { global: given } = load(await readFile(GLOBALS, 'utf8')) as { global: object };
    const library = load(await readFile(`${CHARTS}kolla-pod/values.yaml`, 'utf8')) as { globalDefaults: object };
    assert.deepEqual(
      Object.keys(library.globalDefaults).filter((key) => !(key in given)),
      [],
    );
  });

  for (const name of chartNames())
    test(`global.registry sets the registry of all images of ${name}`, async () => {
      await using chart = await rendering(name);
      const registry = 'registry.example.com:5000/mine';
      const { all } = await chart.render({ global: { registry, kollaPod: { delivery: 'copied' } } });
      const images = [...JSON.stringify(all).matchAll(/"image":"(?<image>[^"]+)"/g)].map(
        ({ groups }) => groups?.['image'],
      );
      assert.ok(images.length > 0);
      for (const image of images) assert.ok(image?.startsWith(`${registry}/`), image);
    });

  test('a registry may end with a slash', async () => {
    const { containers } = await spec({ global: { registry: 'registry.example.com/mine/' } });
    assert.equal(containers[0].image, 'registry.example.com/mine/small:2025.2');
  });

  test('a digest as tag is written as a digest', async () => {
    const { containers } = await spec({ image: { tag: `sha256:${'0'.repeat(64)}` } });
    assert.equal(containers[0].image, `kolla/small@sha256:${'0'.repeat(64)}`);
  });

  test('our own image may be given by digest too', async () => {
    const kollaPod = { delivery: 'copied', image: { tag: `sha256:${'0'.repeat(64)}` } };
    const { initContainers } = await spec({ kollaPod });
    assert.equal(initContainers[0].image, `kolla/kolla-pod@sha256:${'0'.repeat(64)}`);
  });

  test("Kolla's published images are rejected without a delivery and kolla-pod's image, and the error names both", async () => {
    const registry = 'quay.io/openstack.kolla';
    const fix = /global\.kollaPod\.image\.reference to REGISTRY\/REPOSITORY:TAG, where publish\.sh/;
    const complaint = async (values: object) => (await small.complaint({ global: { registry, ...values } })) ?? '';
    for (const [said, what] of [
      [
        await complaint({ kollaPod: { delivery: 'baked' } }),
        /small: kollaPod\.delivery: baked, but the images of quay\.io\/openstack\.kolla/,
      ],
      [await complaint({ kollaPod: { delivery: 'copied' } }), /small: global\.kollaPod\.image\.reference is empty/],
      [
        await complaint({ kollaPod: { delivery: 'imageVolume' } }),
        /small: global\.kollaPod\.image\.reference is empty/,
      ],
    ] as const) {
      assert.match(said, what);
      assert.match(said, fix);
    }
    const reference = 'registry.example.com/team/kolla-pod:1.2.3';
    const kollaPod = { delivery: 'copied', image: { reference } };
    const { initContainers, containers } = await spec({ global: { registry, tag: '2025.1-ubuntu-noble', kollaPod } });
    assert.equal(initContainers[0].image, reference);
    assert.equal(containers[0].image, `${registry}/small:2025.1-ubuntu-noble`);
  });

  test("a chart's own registry decides whether its images are Kolla's published ones", async () => {
    const image = { registry: 'quay.io/openstack.kolla' };
    assert.match((await small.complaint({ image })) ?? '', /kollaPod\.delivery: baked/);
    assert.equal(await small.complaint({ image: { registry: 'mine.example' } }), undefined);
  });

  test('numeric names are text in labels', async () => {
    const rendered = await small.render({ workloads: { '1': { configJson: 'files/config.json' } } });
    const { metadata, spec: own } = rendered.one('Deployment', 'small-1');
    assert.equal(metadata.labels['app.kubernetes.io/component'], '1');
    assert.equal(own.selector.matchLabels['app.kubernetes.io/component'], '1');
  });

  test('a release name is made a valid label', async () => {
    const rendered = await small.render({ release: 'branch/of mine+1.' });
    const { labels, annotations } = rendered.one('Deployment', 'small-api')['spec'].template.metadata;
    assert.equal(labels['app.kubernetes.io/version'], 'branch-of-mine_1');
    assert.equal(annotations['kolla-pod/release'], 'branch/of mine+1.');
  });

  describe('from lowest to highest precedence: defaults, globals, globals of the chart, own values of the release', () => {
    const GLOBAL = { jobs: { backoffLimit: 2 }, charts: { small: { workloads: { api: { replicas: 2 } } } } };
    const replicasOf = async (values: object, args: readonly string[] = []) =>
      (await small.render(values, args)).one('Deployment', 'small-api')['spec'].replicas;

    test('globals of the chart override its defaults', async () => {
      assert.deepEqual([await replicasOf({}), await replicasOf({ global: GLOBAL })], [1, 2]);
    });

    for (const replicas of [3, 1])
      test(`--set and a file of values override globals, also by ${replicas} (the default is 1)`, async () => {
        assert.equal(await replicasOf({ global: GLOBAL }, ['--set', `workloads.api.replicas=${replicas}`]), replicas);
        assert.equal(await replicasOf({ global: GLOBAL, workloads: { api: { replicas } } }), replicas);
      });

    test('--set to the default of the chart itself overrides globals, and null removes what is below', async () => {
      const charts = { small: { workloads: { api: { probes: { readiness: 'tcp 127.0.0.1:1' } } } } };
      const readinessOf = async (value: string) => {
        const args = ['--set', `workloads.api.probes.readiness=${value}`];
        const map = (await small.render({ global: { charts } }, args)).one('ConfigMap', 'small-api-kolla-pod');
        return load(map['data']['kolla-pod.yaml']) as { checks: Record<string, { run: string; for: string[] }> };
      };
      const runs = async (value: string) => Object.values((await readinessOf(value)).checks).map(({ run }) => run);
      assert.ok((await runs('http http://127.0.0.1:8000/')).includes('http http://127.0.0.1:8000/'));
      assert.ok(!(await runs('null')).includes('tcp 127.0.0.1:1'));
    });

    test('keys that globals have for all charts are overridden too', async () => {
      const limits = async (values: object) =>
        (await small.render(values)).of('Job').map(({ spec: { backoffLimit } }) => backoffLimit as number);
      assert.deepEqual(new Set(await limits({ global: GLOBAL })), new Set([2]));
      assert.deepEqual(new Set(await limits({ global: GLOBAL, jobs: { backoffLimit: 7 } })), new Set([7]));
      const charts = { small: { jobs: { backoffLimit: 5 } } };
      assert.deepEqual(new Set(await limits({ global: { ...GLOBAL, charts } })), new Set([5]));
    });

    test('the name that a release gives itself selects its globals', async () => {
      const charts = { other: { workloads: { api: { replicas: 4 } } } };
      const rendered = await small.render({ name: 'other', global: { charts } });
      assert.equal(rendered.one('Deployment', 'other-api')['spec'].replicas, 4);
    });
  });

  test('helm show values prints the defaults with their comments', async () => {
    await using keystone = await rendering('keystone');
    const { stdout } = await helm(keystone.directory, ['show', 'values', keystone.chart]);
    const [head = '', ...lines] = stdout.trim().split('\n');
    assert.match(head, /^# Defaults, as comments/);
    const shown = lines.map((line) => line.replace(/^# /, '')).join('\n');
    assert.equal(shown, (await readFile(`${CHARTS}keystone/defaults.yaml`, 'utf8')).trim());
  });

  test("Kolla's passwords.yml is accepted unchanged, a number as a password is rejected", async () => {
    const passwords = { nova_ssh_key: { private_key: 'k', public_key: 'p' }, unused: null };
    assert.equal(await small.complaint({ global: { passwords } }), undefined);
    const said = await small.complaint({ global: { passwords: { small_database_password: 12_345 } } });
    assert.match((said ?? '').replaceAll('/', '.'), /global.passwords.small_database_password.*got number/);
  });

  test('false, empty and null override a default too', async () => {
    const rendered = await small.render({
      networkPolicy: { enabled: false },
      workloads: { worker: { enabled: false }, api: { ports: { status: null }, topologySpread: false } },
    });
    assert.deepEqual(rendered.of('NetworkPolicy'), []);
    assert.deepEqual(
      rendered.of('Deployment').map(({ metadata }) => metadata.name),
      ['small-api'],
    );
    const pod = rendered.one('Deployment', 'small-api')['spec'].template.spec;
    assert.equal(pod.topologySpreadConstraints, undefined);
    assert.deepEqual(
      rendered.one('Service', 'small-api')['spec'].ports.map(({ port }: { port: number }) => port),
      [8000],
    );
  });

  test('null in settings leaves out an option, also one that nothing has set', async () => {
    await using placement = await rendering('placement');
    const optionsOf = async (extra: object) => {
      const rendered = await placement.render({ settings: { extra } });
      return rendered.one('Secret', 'placement-placement-conf')['data']['placement.conf'];
    };
    assert.equal(await optionsOf({ DEFAULT: { debug: null } }), await optionsOf({ DEFAULT: {} }));
  });

  test('a removed workload of cinder is not awaited', async () => {
    await using cinder = await rendering('cinder');
    const removed = await cinder.render({ workloads: { volume: null } });
    const disabled = await cinder.render({ workloads: { volume: { enabled: false } } });
    assert.deepEqual(removed.one('Deployment', 'cinder-scheduler'), disabled.one('Deployment', 'cinder-scheduler'));
  });

  for (const name of ['mariadb', 'rabbitmq'])
    test(`two nodes of ${name} are rejected: if either stops, both do`, async () => {
      await using chart = await rendering(name);
      const nodes = (replicas: number) => ({ workloads: { [name]: { replicas } } });
      const wanted = new RegExp(`workloads.${name}.replicas': value must be one of 0, 1, 3, 5, 7`);
      assert.match((await chart.complaint(nodes(2))) ?? '', wanted);
      assert.match((await chart.complaint({ global: { charts: { [name]: nodes(2) } } })) ?? '', wanted);
      assert.equal(await chart.complaint(nodes(3)), undefined);
    });

  for (const [values, place] of [
    [{ workloads: { api: { kind: 'Deploymint' } } }, /workloads.api.kind.*'Deployment', 'StatefulSet', 'DaemonSet'/],
    [{ workloads: { api: { replica: 3 } } }, /workloads.api.*'replica' not allowed/],
    [{ config: { reload: 'sometimes' } }, /config.reload.*'rolling', 'live'/],
    [{ kollaPod: { delivery: 'backed' } }, /kollaPod.delivery.*'baked', 'copied', 'imageVolume'/],
    [{ needsTimeout: '30' }, /needsTimeout.*does not match pattern/],
    [
      { global: { publicUrl: 'api.example.com:{port}' } },
      /global.publicUrl.*'api.example.com:\{port\}' does not match.*https\?:/,
    ],
    [
      { global: { endpoints: { keystone: { url: 'keystone.example.com/v3' } } } },
      /global.endpoints.keystone.url.*'keystone.example.com.v3' does not match.*https\?:/,
    ],
    [
      { bootstrap: { publicUrl: 'api.example.com' } },
      /bootstrap.publicUrl.*'api.example.com' does not match.*https\?:/s,
    ],
    [{ bootstrap: { internalUrl: ['small=api.example.com'] } }, /bootstrap.internalUrl.*does not match.*https\?:/s],
    [{ workloads: { api: { ports: { http: 'five thousand' } } } }, /workloads.api.ports.http/],
    [
      { workloads: { api: { services: { small: { annotations: { internal: true } } } } } },
      /services.small.annotations.internal.*want null or string/,
    ],
    [{ upgrade: { phases: ['expnd'] } }, /upgrade.phases.0/],
    [{ bootstrap: { run: { skip: ['user'] } } }, /bootstrap.run.skip.0.*'database'/],
    [{ config: { files: { 'a.conf': { perm: '0800' } } } }, /config.files.a.conf.perm/],
    [{ global: { endpoints: { mariadb: { port: 0 } } } }, /global.endpoints.mariadb.port/],
    [{ global: { endpoints: { mariadb: { hots: 'db' } } } }, /global.endpoints.mariadb.*'hots' not allowed/],
    [{ global: { regestry: 'x' } }, /global.*'regestry' not allowed/],
    [{ networkPolicy: 'off' }, /networkPolicy/],
    [
      { global: { charts: { small: { workloads: { api: { replica: 3 } } } } } },
      /at '.global.charts.small.workloads.api': additional properties 'replica' not allowed/,
    ],
    [
      { global: { charts: { keystone: { config: { reload: 'sometimes' } } } } },
      /at '.global.charts.keystone.config.reload': value must be one of 'rolling', 'live'/,
    ],
    [{ global: { charts: { small: { global: {} } } } }, /at '.global.charts.small'.*'global' not allowed/],
    [{ workload: {} }, /'workload' not allowed/],
    [{ workloads: { Api: {} } }, /at '.workloads': additional properties 'Api' not allowed/],
    [{ workloads: { api: { env: { 'a b': 1 } } } }, /at '.workloads.api.env': additional properties 'a b' not allowed/],
    [
      { workloads: { api: { ports: { Http: 1 } } } },
      /at '.workloads.api.ports': additional properties 'Http' not allowed/,
    ],
    [{ global: { labels: { compute: { gpu: true } } } }, /global.labels.compute.gpu.*want null or string/],
    [{ global: { tolerations: { compute: { key: 'x' } } } }, /global.tolerations.compute.*want null or array/],
  ] as const)
    test(`values are rejected with their location: ${JSON.stringify(values)}`, async () => {
      assert.match(((await small.complaint(values)) ?? '').replaceAll(/[/\n]/g, '.'), place);
    });

  test('global.charts.NAME and own values may set part of a value', async () => {
    await using mariadb = await rendering('mariadb');
    const storageOf = async (values: object) => {
      const [claim] = (await mariadb.render(values)).one('StatefulSet', 'mariadb')['spec'].volumeClaimTemplates;
      const { storageClassName, resources } = claim.spec;
      return [storageClassName, resources.requests.storage];
    };
    const data = { persistent: { storageClass: 'fast' } };
    const workloads = { mariadb: { volumes: { data } } };
    assert.deepEqual(await storageOf({ global: { charts: { mariadb: { workloads } } } }), ['fast', '10Gi']);
    assert.deepEqual(await storageOf({ workloads }), ['fast', '10Gi']);
  });

  test('a port below 1024 may be bound under restricted', async () => {
    const securityContext = { capabilities: { add: ['NET_BIND_SERVICE'] } };
    assert.equal(await small.complaint({ workloads: { api: { securityContext } } }), undefined);
  });

  test('errors in config.json are left to kolla-init, which keeps the old Pods', async () => {
    const configJson = {
      command: 'bash',
      config_files: [{ dest: '/x' }, { source: '/y' }],
      directories: [{}],
      files: [{}],
    };
    assert.equal(await small.complaint({ workloads: { api: { configJson } } }), undefined);
  });

  for (const [values, what] of [
    [
      { workloads: { api: { volumes: { x: { source: { emptyDir: {} } } } } } },
      /workloads\.api\.volumes\.x: say mountPath/,
    ],
    [
      { workloads: { api: { volumes: { x: { mountPath: '/x', persistent: { storageClass: 'fast' } } } } } },
      /workloads\.api\.volumes\.x\.persistent: say size/,
    ],
    [{ bootstrap: { volumes: { x: { source: { emptyDir: {} } } } } }, /bootstrap\.volumes\.x: say mountPath/],
    [{ workloads: { api: { ports: { more: { protocol: 'UDP' } } } } }, /workloads\.api\.ports\.more: say port/],
    [
      { workloads: { api: { env: { X: { secret: 'x' } } } } },
      /env\.X: say text, \{password\}, \{secret, key\} or \{field\}/,
    ],
    [{ cron: { 'clean-up': { schedule: '@daily' } } }, /cron\.clean-up: say schedule and command/],
    [
      { config: { files: { 'a.conf': { existing: { key: 'k' } } } } },
      /files\.a\.conf\.existing: say secret or configMap/,
    ],
    [{ workloads: { api: { configJson: '' } } }, /workloads\.api: configJson or command is required/],
    [
      { workloads: { api: { configJson: 'files/none.json' } } },
      /workloads\.api\.configJson: the chart has no files\/none\.json/,
    ],
    [{ workloads: { api: { configJson: 'files/small.conf' } } }, /workloads\.api\.configJson: no JSON/],
    [
      { config: { files: { 'a.conf': { file: 'files/none' } } } },
      /config\.files\.a\.conf: the chart has no files\/none/,
    ],
    [{ config: { files: { 'a.conf': { secret: true } } } }, /config\.files\.a\.conf: say content, file or existing/],
    [{ user: { uid: null } }, /workloads\.api: say user: \{name, uid\}/],
    [
      { jobs: { ttlSecondsAfterFinished: null } },
      /jobs\.ttlSecondsAfterFinished: null removes it, and the chart needs it/,
    ],
    [{ global: { jobs: { backoffLimit: null } } }, /jobs\.backoffLimit: null removes it, and the chart needs it/],
    [{ workloadDefaults: { replicas: null } }, /workloadDefaults\.replicas: null removes it, and the chart needs it/],
    [
      { workloads: { api: { hostNetwork: { reason: 'why not' } } } },
      /workloads\.api\.hostNetwork: say restricted: \{exempt: reason\} too/,
    ],
    [
      { workloads: { api: { volumes: { x: { mountPath: '/x', source: { hostPath: { path: '/x' } } } } } } },
      /volumes\.x: a hostPath needs restricted/,
    ],
    [
      { workloads: { api: { services: { other: { ports: ['htpp'] } } } } },
      /services\.other: there is no htpp under ports/,
    ],
    [{ workloads: { api: { volumes: { x: { mountPath: '/x' } } } } }, /volumes\.x: say persistent or source/],
    // A value of the user, merged with the chart's.
    [
      {
        global: {
          charts: { small: { workloads: { api: { volumes: { x: { mountPath: '/x', source: { emptyDir: {} } } } } } } },
        },
        workloads: { api: { volumes: { x: { persistent: { size: '1Gi' } } } } },
      },
      /volumes\.x: it has persistent and source: set the one that you do not want to null/,
    ],
    [
      {
        global: {
          charts: { small: { workloads: { api: { volumes: { x: { mountPath: '/x', source: { emptyDir: {} } } } } } } },
        },
        workloads: { api: { volumes: { x: { source: { persistentVolumeClaim: { claimName: 'x' } } } } } },
      },
      /volumes\.x\.source: it has emptyDir and persistentVolumeClaim: set the one that you do not want to null/,
    ],
    [
      { workloads: { api: { volumes: { kolla: { mountPath: '/x', source: { emptyDir: {} } } } } } },
      /volumes\.kolla: the library has a volume of that name/,
    ],
    [
      { workloads: { api: { volumes: { logs: { mountPath: '/x', source: { emptyDir: {} } } } } } },
      /volumes\.logs: the library has a volume of that name, at \/var\/log\/kolla/,
    ],
    [
      { workloads: { api: { securityContext: { runAsNonRoot: false, capabilities: { add: ['NET_BIND_SERVICE'] } } } } },
      /workloads\.api is not admitted under `restricted`: small-api: securityContext\.runAsNonRoot is false \(admitted: true\)/,
    ],
    [
      { workloads: { api: { command: 'small', files: ['small.conf', 'plian.ini'] } } },
      /small: workloads\.api\.files: config\.files has no plian\.ini: add it there, or take one of logo\.bin, plain\.ini, policy/,
    ],
    [
      { bootstrap: { volumes: { x: { mountPath: '/x', source: { hostPath: { path: '/x' } } } } } },
      /the Job bootstrap is not admitted under `restricted`: the Pod: volumes\.x is hostPath .*; take another bootstrap\.workload/,
    ],
    [
      { bootstrap: { volumes: { x: { mountPath: '/x', persistent: { size: '1Gi' } } } } },
      /bootstrap\.volumes\.x: say source/,
    ],
    [
      { config: { files: { 'a b.conf': { content: '' } } } },
      /config\.files: 'a b\.conf' is no name for a ConfigMap's key/,
    ],
    [{ upgrade: { workloads: ['apo'] } }, /upgrade\.workloads: there is no workloads\.apo/],
    [{ name: 'n'.repeat(60) }, /small: name: n{60}-api has 64 characters, and Kubernetes takes 63/],
    [
      { name: 'n'.repeat(45), workloads: { api: { name: 'a' }, worker: { name: 'w' } } },
      /small: name: n{45}-bootstrap-[0-9a-f]{10} has 66 characters/,
    ],
    [
      // Long enough for the Job, but not for its copies before an upgrade.
      { name: 'n'.repeat(40), workloads: { api: { name: 'a' }, worker: { name: 'w' } } },
      /small: name: n{40}-bootstrap-[0-9a-f]{10}-r999 has 66 characters/,
    ],
    [
      { workloads: { api: { kind: 'StatefulSet', name: 'n'.repeat(53) } } },
      /workloads\.api\.name: n{53} has 53 characters, and Kubernetes takes 52/,
    ],
    [
      { name: 'n'.repeat(36), cron: { 'clean-up-every-day': { schedule: '@daily', command: ['true'] } } },
      /small: name: n{36}-clean-up-every-day has 55 characters, and Kubernetes takes 52/,
    ],
  ] as const)
    test(`values are rejected: ${JSON.stringify(values)}`, async () => {
      assert.match((await small.complaint(values)) ?? '', what);
    });
});
