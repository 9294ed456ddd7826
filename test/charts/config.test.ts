import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { canRunHelm } from '../../tools/helm.ts';
import { podYamlOf } from './service-charts.ts';
import { rendering, sourcesOf, textAt, type Rendering } from './support.ts';

const SMALL = fileURLToPath(new URL('fixtures/small', import.meta.url));
const skip = (await canRunHelm()) ?? false;

describe('configuration', { skip }, () => {
  let small: Rendering;
  before(async () => {
    small = await rendering('small', SMALL);
  });
  after(async () => await small?.[Symbol.asyncDispose]());

  const api = async (values: object) => {
    const rendered = await small.render(values);
    return { rendered, sources: sourcesOf(rendered.one('Deployment', 'small-api')) };
  };

  test('each file has its own object, secrets are Secrets, templates are rendered', async () => {
    const { rendered, sources } = await api({});
    assert.match(sources['small.conf'] ?? '', /^Secret\/small-small-conf-[0-9a-f]{10}\/small\.conf$/);
    assert.match(
      sources['policy.d/one.yaml'] ?? '',
      /^ConfigMap\/small-policy-d-one-yaml-[0-9a-f]{10}\/policy\.d__one\.yaml$/,
    );
    assert.match(sources['config.json'] ?? '', /^ConfigMap\/small-api-config-json-[0-9a-f]{10}\/config\.json$/);
    assert.equal(textAt(rendered, sources['small.conf'] ?? ''), 'password = of-small-database-password\n');
    assert.equal(textAt(rendered, sources['policy.d/one.yaml'] ?? ''), 'raw: "{{ .Values.settings.word }}"\n');
    assert.equal(textAt(rendered, sources['logo.bin'] ?? ''), 'PNG\u0000\n');
  });

  test('rolling: objects are immutable, and new content has a new name, in the Pod template too', async () => {
    const one = await api({});
    const other = await api({ config: { files: { 'plain.ini': { content: 'other' } } } });
    assert.notEqual(one.sources['plain.ini'], other.sources['plain.ini']);
    assert.equal(one.sources['small.conf'], other.sources['small.conf']);
    for (const object of [...one.rendered.of('ConfigMap'), ...one.rendered.of('Secret')]) {
      assert.equal(object['immutable'], true);
      assert.equal(object.metadata.annotations?.['helm.sh/resource-policy'], 'keep');
    }
  });

  test('a file disabled by a value or a template is left out', async () => {
    const files = { 'plain.ini': { enabled: '{{ eq .Values.settings.word "no" }}' }, 'logo.bin': { enabled: false } };
    const { rendered, sources } = await api({ config: { files } });
    assert.ok(!('plain.ini' in sources) && !('logo.bin' in sources), Object.keys(sources).join(' '));
    assert.deepEqual(
      rendered.of('ConfigMap').filter(({ metadata }) => /plain-ini|logo-bin/.test(metadata.name)),
      [],
    );
  });

  test('a workload gets only the files its config.json reads, so others are not restarted', async () => {
    const one = await api({});
    const other = await api({ config: { files: { 'plain.ini': { content: 'other' } } } });
    const worker = ({ rendered }: typeof one) =>
      rendered.one('Deployment', 'small-worker')['spec'].template.spec.volumes;
    assert.deepEqual(worker(one), worker(other));
    assert.deepEqual(Object.keys(sourcesOf(one.rendered.one('Deployment', 'small-worker'))).toSorted(), [
      'config.json',
      'small.conf',
    ]);
  });

  for (const source of ['sub/.', './sub', 'sub/[!b].conf'])
    test(`a file is mounted for a source written as ${source}`, async () => {
      const entry = {
        source: `/var/lib/kolla/config_files/${source}`,
        dest: '/etc/small',
        owner: 'root',
        perm: '0600',
      };
      const { rendered } = await api({
        config: { files: { 'sub/a.conf': { content: 'a' } } },
        workloads: { worker: { configJson: { command: 'true', config_files: [entry] } } },
      });
      const mounted = Object.keys(sourcesOf(rendered.one('Deployment', 'small-worker'))).toSorted();
      assert.deepEqual(mounted, ['config.json', 'sub/a.conf']);
    });

  test('live: names are fixed, nothing is immutable, and a change does not affect the Pod template', async () => {
    const live = { config: { reload: 'live' } };
    const one = await api(live);
    const other = await api({ config: { ...live.config, files: { 'plain.ini': { content: 'other' } } } });
    assert.equal(one.sources['plain.ini'], 'ConfigMap/small-plain-ini/plain.ini');
    assert.equal(textAt(other.rendered, 'ConfigMap/small-plain-ini/plain.ini'), 'other');
    assert.equal(one.rendered.one('ConfigMap', 'small-plain-ini')['immutable'], undefined);
    for (const kind of ['Deployment', 'Job']) assert.deepEqual(one.rendered.of(kind), other.rendered.of(kind));
    assert.equal(one.rendered.one('Deployment', 'small-api')['spec'].template.spec.shareProcessNamespace, true);
  });

  test('bundle: service creates one ConfigMap and one Secret for all files', async () => {
    const { rendered, sources } = await api({ config: { bundle: 'service' } });
    const names = (kind: string) =>
      rendered.of(kind).map(({ metadata }) => metadata.name.replace(/-[0-9a-f]{10}$/, ''));
    assert.deepEqual(
      names('ConfigMap').filter((name) => !name.endsWith('-kolla-pod')),
      ['small-config'],
    );
    assert.deepEqual(
      names('Secret').filter((name) => !name.endsWith('-password')),
      ['small-secrets'],
    );
    assert.equal(textAt(rendered, sources['plain.ini'] ?? ''), 'plain\n');
    assert.notEqual(sources['config.json'], sourcesOf(rendered.one('Deployment', 'small-worker'))['config.json']);
  });

  test('files of an existing object are mounted from it', async () => {
    const existing = { secret: 'made-elsewhere', key: 'conf' };
    const { sources } = await api({ config: { files: { 'small.conf': { existing } } } });
    assert.equal(sources['small.conf'], 'Secret/made-elsewhere/conf');
  });

  test("a ConfigMap of the user's replaces the Secret of a chart's file", async () => {
    await using cinder = await rendering('cinder');
    const files = { 'ceph.conf': { existing: { configMap: 'ceph-config' } } };
    const volume = (await cinder.render({ config: { files } })).one('StatefulSet', 'cinder-volume');
    assert.equal(sourcesOf(volume)['ceph.conf'], 'ConfigMap/ceph-config/ceph.conf');
  });

  test('a file over 1 MiB is rejected with its name', async () => {
    const said = await small.complaint({ config: { files: { 'plain.ini': { content: 'x'.repeat(1_048_577) } } } });
    assert.match(
      said ?? '',
      /config\.files\.plain\.ini: small-plain-ini would hold 1048577 bytes, and Kubernetes takes 1048576/,
    );
    assert.equal(
      await small.complaint({ config: { files: { 'plain.ini': { content: 'x'.repeat(1_048_576) } } } }),
      undefined,
    );
  });

  test('large numbers are kept as written, also in lists', async () => {
    const content = '{{ .Values.settings.size }} {{ .Values.settings.all | join "," }} {{ .Values.settings.half }}';
    const values = { settings: { size: 1_000_000, all: [12_345_678], half: 0.5 } };
    const { rendered, sources } = await api({ ...values, config: { files: { 'plain.ini': { content } } } });
    assert.equal(textAt(rendered, sources['plain.ini'] ?? ''), '1000000 12345678 0.5');
  });

  test('missing passwords are reported together, without showing others', async () => {
    const said = await small.complaint({
      global: { passwords: { small_database_password: '', database_password: '' } },
    });
    assert.match(
      said ?? '',
      /small: no password database_password, small_database_password; put it under global\.passwords/,
    );
    assert.doesNotMatch(said ?? '', /of-rabbitmq-password/);
  });

  const SECRET = '{{ include "kolla-pod.password" (list . "small_database_password") }}';
  const LEAKS: readonly [values: object, what: RegExp][] = [
    [{ config: { files: { 'plain.ini': { content: SECRET } } } }, /config\.files\.plain\.ini: .* say secret: true/],
    [{ workloads: { api: { configJson: '', command: `run ${SECRET}` } } }, /workloads\.api: .* take it out/],
    [{ workloads: { api: { env: { A: SECRET } } } }, /small: env\.A: a password stands in it/],
    [{ needs: [`mysql://u:${SECRET}@mariadb`] }, /small: needs: a password stands in it/],
    [{ bootstrap: { run: { args: [SECRET] } } }, /small: bootstrap\.run\.args: a password stands in it/],
    [{ logs: { enabled: true, url: 'http://u:of-small-x@logs:9200' } }, /logs: a password stands in url or options/],
    [{ logs: { enabled: true, options: { 'api-key': 'of-small-x' } } }, /logs: a password stands in url or options/],
  ];
  for (const [values, what] of LEAKS)
    test(`a password is never in a ConfigMap, an argument or a variable as text: ${JSON.stringify(values)}`, async () => {
      const said = (await small.complaint(values)) ?? '';
      assert.match(said, what);
      assert.doesNotMatch(said, /of-small/);
    });

  const IN_SECRET = { passwordSecrets: { small_database_password: { secret: 'mine', key: 'the-key' } } };

  test('a password of an existing Secret is mounted next to the files that use it, and takes precedence over values', async () => {
    const { rendered, sources } = await api({ global: IN_SECRET });
    assert.equal(textAt(rendered, sources['small.conf'] ?? ''), 'password = $(password:small_database_password)\n');
    assert.equal(sources['.passwords/small_database_password'], 'Secret/mine/the-key');
    const item = {
      file: '/etc/small/small.conf',
      name: 'small_database_password',
      source: '/var/lib/kolla/config_files/.passwords/small_database_password',
      secret: 'mine',
      key: 'the-key',
    };
    for (const pod of ['small-api', 'small-worker'])
      assert.deepEqual(podYamlOf(rendered, rendered.one('Deployment', pod)).overlays, { passwords: [item] });
    // A password from a Secret needs no value.
    const none = { ...IN_SECRET, passwords: { small_database_password: null } };
    assert.deepEqual((await api({ global: none })).rendered.all, rendered.all);
  });

  test('a Pod none of whose files use a password mounts no password', async () => {
    const configJson = { command: 'bash', config_files: [] };
    const { sources } = await api({ global: IN_SECRET, workloads: { api: { configJson } } });
    assert.deepEqual(Object.keys(sources), ['config.json']);
  });

  const WHERE_NONE_CAN_BE: readonly [values: object, what: RegExp][] = [
    [
      { workloads: { api: { env: { A: SECRET } } } },
      /or a variable by env: \{NAME: \{password: small_database_password/,
    ],
    [{ objects: [SECRET] }, /is in a Secret \(global\.passwordSecrets\): a file of config\.files may have it/],
    [
      { config: { files: { 'small.conf': { content: SECRET.replace(' }}', ' | urlquery }}'), secret: true } } } },
      /config\.files\.small\.conf: its template changes the password small_database_password, .* give kolla-pod\.password a form/,
    ],
    [
      {
        workloads: {
          api: {
            configJson: {
              command: 'bash',
              config_files: [{ source: '/var/lib/kolla/config_files/*.conf', dest: '/etc/small/', owner: 'placement' }],
            },
          },
        },
      },
      /small\.conf: the password small_database_password comes .* config\.json of workloads\.api must name the file/,
    ],
  ];
  for (const [values, what] of WHERE_NONE_CAN_BE)
    test(`a password of a Secret is rejected where kolla-init cannot fill it in: ${JSON.stringify(values)}`, async () => {
      assert.match((await small.complaint({ ...values, global: IN_SECRET })) ?? '', what);
    });

  test('an unknown form of a password is rejected', async () => {
    const content = SECRET.replace(')', ' "ulr")');
    const said = await small.complaint({ config: { files: { 'small.conf': { content, secret: true } } } });
    assert.match(said ?? '', /there is no form ulr; forms are url, oslo/);
  });

  test('two files with the same Kubernetes name are rejected', async () => {
    const said = await small.complaint({ config: { files: { plain_ini: { content: 'a' } } } });
    assert.match(said ?? '', /another file has the same name for Kubernetes, small-plain-ini/);
  });
});
