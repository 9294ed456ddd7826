import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { load } from 'js-yaml';
import { chartNames } from '../../build/charts.ts';
import { KINDS } from '../../build/images/contents.ts';
import type { BuiltImage } from '../../build/images/index.ts';
import { changesOf } from '../../build/release/changes.ts';
import type { Compression } from '../../build/release/images.ts';
import { writeRelease } from '../../build/release/index.ts';
import { complaintsOf } from './artifact-hub.ts';
import { readSigner } from '../../build/release/key.ts';
import type { Descriptor } from '../../build/release/layout.ts';
import { ConfigError } from '../../src/core/errors.ts';
import { VERSION } from '../../src/core/version.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { imageTar } from '../../tools/image.ts';
import { must, run } from '../../tools/process.ts';
import { tarOf } from '../../tools/tar.ts';

const ARCHITECTURES = ['amd64', 'arm64'];
const SOURCE = {
  uri: 'https://example.com/kolla-pod',
  commit: 'c'.repeat(40),
  time: '2026-01-02T03:04:05Z',
  lockfile: '0',
};
const KEY_URL = 'https://example.com/cosign.pub';
const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const PEM = pair.privateKey.export({ type: 'pkcs8', format: 'pem' });

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  readonly manifests: readonly Descriptor[];
}

/** Small images with the same file names as those of build/images. */
async function images(directory: string): Promise<BuiltImage[]> {
  const built: BuiltImage[] = [];
  for (const architecture of ARCHITECTURES) {
    await writeFile(join(directory, `kolla-pod-${architecture}.LICENSES`), `licences ${architecture}`);
    for (const kind of KINDS) {
      const file = join(directory, `kolla-pod-${kind}-${architecture}.tar`);
      await writeFile(file.replace(/\.tar$/, '.cdx.json'), '{}');
      const layer = tarOf([
        { name: 'opt/', mode: 0o755 },
        { name: 'opt/kolla-pod/', mode: 0o755 },
        { name: 'opt/kolla-pod/kolla-core', mode: 0o755, content: `#!/bin/sh\necho ${kind} ${architecture}\n` },
        { name: 'opt/kolla-pod/bin/', mode: 0o755 },
        { name: 'opt/kolla-pod/bin/kolla-init', mode: 0o777, link: '../kolla-core' },
      ]);
      const id = await imageTar(file, {
        reference: `kolla-pod:${kind}`,
        layers: [layer],
        architecture,
        labels: { kind },
      });
      built.push({ kind, architecture, reference: '', file, id });
    }
  }
  return built;
}

async function release(
  directory: string,
  options: { isSigned?: boolean; compression?: Compression } = {},
): Promise<string> {
  const key = join(directory, 'key.pem');
  await writeFile(key, PEM);
  const archives = join(directory, 'images');
  await mkdir(archives, { recursive: true });
  return await writeRelease({
    directory: join(directory, 'release'),
    images: await images(archives),
    compression: options.compression ?? 'gzip',
    repository: 'registry.example.com/team/kolla-pod',
    source: SOURCE,
    builder: 'https://example.com/builder',
    keyUrl: KEY_URL,
    ...(options.isSigned === true ? { signer: await readSigner(key, '') } : {}),
  });
}

let shared: Directory;
/** A signed release. Tests do not change it. */
let place: string;
before(async () => {
  shared = await privateDirectory('release');
  place = await release(shared.path, { isSigned: true });
});
after(async () => await shared[Symbol.asyncDispose]());

async function tagsOf(layout: string): Promise<Map<string, Descriptor>> {
  const { manifests } = JSON.parse(await readFile(join(layout, 'index.json'), 'utf8')) as Manifest;
  return new Map(
    manifests.map((descriptor) => [descriptor.annotations?.['org.opencontainers.image.ref.name'] ?? '', descriptor]),
  );
}

async function blob(layout: string, { digest, size }: Descriptor): Promise<Buffer> {
  const bytes = await readFile(join(layout, 'blobs', digest.replace(':', '/')));
  assert.equal(bytes.length, size);
  assert.equal(`sha256:${createHash('sha256').update(bytes).digest('hex')}`, digest);
  return bytes;
}

async function json<T>(layout: string, descriptor: Descriptor): Promise<T> {
  return JSON.parse((await blob(layout, descriptor)).toString()) as T;
}

for (const [compression, decompress] of [
  ['gzip', gunzipSync],
  ['zstd', zstdDecompressSync],
] as const)
  test(`each image is an index of its architectures, with the archives' ids and layers (${compression})`, async () => {
    await using directory = await privateDirectory('release');
    const layout = join(await release(directory.path, { compression }), 'oci/kolla-pod');
    const tags = await tagsOf(layout);
    assert.deepEqual([...tags.keys()], [`${VERSION}-scratch`, VERSION, `${VERSION}-core`, `${VERSION}-operator`]);
    const built = await images(join(directory.path, 'images'));
    for (const [tag, kind] of [...tags.keys()].map((name, i) => [name, KINDS[i]!] as const)) {
      const { manifests } = await json<Manifest>(layout, tags.get(tag)!);
      assert.deepEqual(
        manifests.map(({ platform }) => platform),
        [
          { architecture: 'amd64', os: 'linux' },
          { architecture: 'arm64', os: 'linux', variant: 'v8' },
        ],
      );
      for (const [i, architecture] of ARCHITECTURES.entries()) {
        const { config, layers } = await json<Manifest>(layout, manifests[i]!);
        assert.equal(config.digest, built.find((one) => one.kind === kind && one.architecture === architecture)?.id);
        const { rootfs } = await json<{ rootfs: { diff_ids: string[] } }>(layout, config);
        const contents = await Promise.all(layers.map(async (layer) => decompress(await blob(layout, layer))));
        assert.deepEqual(
          contents.map((content) => `sha256:${createHash('sha256').update(content).digest('hex')}`),
          rootfs.diff_ids,
        );
        assert.ok(
          layers.every(({ mediaType }) => mediaType === `application/vnd.oci.image.layer.v1.tar+${compression}`),
        );
      }
    }
  });

test('other users can read the release, such as a web server that serves charts/', async () => {
  assert.equal((await stat(place)).mode & 0o777, 0o755);
});

test('an archive unpacks to a directory of its name, with the image’s files', async () => {
  await using directory = await privateDirectory('release');
  for (const [program, kind] of [
    ['kolla-pod', 'scratch'],
    ['kolla-core', 'core'],
  ])
    for (const architecture of ARCHITECTURES) {
      const name = `${program}-${VERSION}-linux-${architecture}`;
      await must('tar', ['-xzf', join(place, `${name}.tar.gz`), '-C', directory.path]);
      const names = await readdir(join(directory.path, name), { recursive: true });
      assert.deepEqual(names.toSorted(), ['bin', 'bin/kolla-init', 'kolla-core']);
      assert.equal(await must(join(directory.path, name, 'bin/kolla-init'), []), `${kind} ${architecture}\n`);
    }
});

test('the runnable image of each architecture can be loaded without a registry, always with the same name', async () => {
  for (const architecture of ARCHITECTURES) {
    const archive = join(place, `kolla-pod-${VERSION}-image-${architecture}.tar`);
    const [manifest] = JSON.parse(await must('tar', ['-xOf', archive, 'manifest.json'])) as {
      Config: string;
      RepoTags: string[];
      Layers: string[];
    }[];
    assert.deepEqual(manifest?.RepoTags, [`kolla-pod:${VERSION}`]);
    const config = JSON.parse(await must('tar', ['-xOf', archive, manifest.Config])) as {
      architecture: string;
      config: { Labels: object };
    };
    assert.deepEqual([config.architecture, config.config.Labels], [architecture, { kind: 'install' }]);
    const names = await must('tar', ['-tf', archive]);
    assert.deepEqual(names.trimEnd().split('\n'), [...manifest.Layers, manifest.Config, 'manifest.json']);
  }
});

test('charts are archives in an index with their digests, and the same archives as artifacts', async () => {
  const { entries } = load(await readFile(join(place, 'charts/index.yaml'), 'utf8')) as {
    entries: Record<
      string,
      {
        version: string;
        appVersion: string;
        digest: string;
        urls: string[];
        annotations: Readonly<Record<string, string>>;
      }[]
    >;
  };
  assert.deepEqual(Object.keys(entries), chartNames());
  for (const [name, [entry]] of Object.entries(entries)) {
    const file = await readFile(join(place, 'charts', entry!.urls[0]!));
    assert.equal(createHash('sha256').update(file).digest('hex'), entry!.digest);
    assert.deepEqual([entry!.version, entry!.appVersion], [VERSION, VERSION]);
    assert.deepEqual(complaintsOf(entry!.annotations), [], name);
    const layout = join(place, 'oci/charts', name);
    const { config, layers } = await json<Manifest>(layout, (await tagsOf(layout)).get(VERSION)!);
    assert.equal((await json<{ name: string }>(layout, config)).name, name);
    assert.deepEqual(await blob(layout, layers[0]!), file);
  }
});

test('Artifact Hub is told the images, the changes of this chart, the sources, and the key', async () => {
  const { entries } = load(await readFile(join(place, 'charts/index.yaml'), 'utf8')) as {
    entries: Record<string, [{ annotations: Readonly<Record<string, string>> }]>;
  };
  const { annotations } = entries['nova-compute']![0];
  const value = (key: string) => load(annotations[`artifacthub.io/${key}`] ?? '') as Record<string, string>[];
  const listed = value('images').map(({ image }) => image);
  assert.ok(listed.includes(`registry.example.com/team/kolla-pod:${VERSION}`), String(listed));
  assert.ok(
    listed.some((image) => image?.startsWith('quay.io/openstack.kolla/nova-libvirt:')),
    String(listed),
  );
  const changes = value('changes').map(({ description = '' }) => description);
  assert.ok(changes.length > 0);
  for (const text of changes) assert.doesNotMatch(text, /^Chart (?!nova-compute)|\]\(/);
  assert.deepEqual(value('links'), [{ name: 'source', url: SOURCE.uri }]);
  const der = pair.publicKey.export({ type: 'spki', format: 'der' });
  assert.deepEqual(load(annotations['artifacthub.io/signKey'] ?? ''), {
    fingerprint: createHash('sha256').update(der).digest('hex'),
    url: KEY_URL,
  });
});

test('the rules of Artifact Hub reject what they should', () => {
  const good = { 'artifacthub.io/license': 'Apache-2.0', 'artifacthub.io/category': 'storage' };
  for (const [key, value] of [
    ['category', 'compute'],
    ['changes', '- { kind: improved, description: x }'],
    ['changes', '- { kind: added }'],
    ['images', '- { image: "UPPER/x:1" }'],
    ['links', '- { name: x }'],
    ['signKey', 'fingerprint: abc'],
    ['prerelease', 'perhaps'],
    ['imagse', '[]'],
  ] as const)
    assert.equal(complaintsOf({ ...good, [`artifacthub.io/${key}`]: value }).length, 1, `${key}: ${value}`);
  assert.equal(complaintsOf({}).length, 2);
});

test('every index, manifest and chart has a signature of its digest under its repository’s name', async () => {
  let signatures = 0;
  for (const path of ['kolla-pod', ...chartNames().map((name) => `charts/${name}`)]) {
    const layout = join(place, 'oci', path);
    const tags = await tagsOf(layout);
    const signed: Descriptor[] = [];
    for (const [tag, descriptor] of tags) {
      if (tag.endsWith('.sig')) continue;
      signed.push(descriptor, ...((await json<Partial<Manifest>>(layout, descriptor)).manifests ?? []));
    }
    assert.equal(tags.size, signed.length + [...tags.keys()].filter((tag) => !tag.endsWith('.sig')).length);
    for (const { digest } of signed) {
      const { layers } = await json<Manifest>(layout, tags.get(`${digest.replace(':', '-')}.sig`)!);
      const statement = await blob(layout, layers[0]!);
      const { critical } = JSON.parse(statement.toString()) as { critical: Record<string, Record<string, string>> };
      assert.equal(critical['image']?.['docker-manifest-digest'], digest);
      const repository = `registry.example.com/team/kolla-pod${path === 'kolla-pod' ? '' : `/${path}`}`;
      assert.equal(critical['identity']?.['docker-reference'], repository);
      const signature = Buffer.from(layers[0]?.annotations?.['dev.cosignproject.cosign/signature'] ?? '', 'base64');
      assert.ok(verify('sha256', statement, pair.publicKey, signature));
      signatures++;
    }
  }
  assert.equal(signatures, KINDS.length * (1 + ARCHITECTURES.length) + chartNames().length);
});

test('publish.sh’s list has every tag, and each signature before the object that it signs', async () => {
  const lines = (await readFile(join(place, 'oci/tags'), 'utf8')).trimEnd().split('\n');
  for (const path of new Set(lines.map((line) => line.split(' ')[0]!))) {
    const listed = lines.filter((line) => line.startsWith(`${path} `)).map((line) => line.split(' ')[1]!);
    assert.deepEqual(listed.toSorted(), [...(await tagsOf(join(place, 'oci', path))).keys()].toSorted());
    assert.ok(listed.findLastIndex((tag) => tag.endsWith('.sig')) < listed.findIndex((tag) => !tag.endsWith('.sig')));
  }
});

test('publish.sh exits with code 69 and names the tool that is missing', async () => {
  await using directory = await privateDirectory('release');
  const bin = join(directory.path, 'bin');
  await mkdir(bin);
  const link = async (tool: string) =>
    await symlink((await must('sh', ['-c', `command -v ${tool}`])).trim(), join(bin, tool));
  const publish = async (env: NodeJS.ProcessEnv) =>
    await run(join(place, 'publish.sh'), ['registry.example.com/team/kolla-pod'], {
      env: { PATH: bin, SKOPEO: process.execPath, ...env },
    });
  for (const tool of ['dirname', 'mktemp', 'rm']) await link(tool);
  const bare = await publish({});
  assert.deepEqual([bare.code, bare.stdout], [69, '']);
  assert.match(bare.stderr, /sha256sum is missing/);
  await link('sha256sum');
  const withKey = await publish({ KEY: join(place, 'cosign.pub') });
  assert.deepEqual([withKey.code, withKey.stdout], [69, '']);
  assert.match(withKey.stderr, /openssl is missing/);
});

test('publish.sh reads its own directory, whatever CDPATH is', async () => {
  await using directory = await privateDirectory('release');
  await mkdir(join(directory.path, VERSION));
  const { code, stdout, stderr } = await run(
    'sh',
    [join(VERSION, 'publish.sh'), 'registry.example.com/team/kolla-pod'],
    {
      cwd: dirname(place),
      env: { PATH: process.env['PATH'], CDPATH: directory.path, SKOPEO: 'true' },
    },
  );
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^registry\.example\.com\/team\/kolla-pod:/);
});

test('the provenance names each file and tag with its digest, and the envelope is the statement, signed', async () => {
  const text = await readFile(join(place, 'provenance.json'), 'utf8');
  const statement = JSON.parse(text) as {
    subject: { name: string; digest: { sha256: string } }[];
    predicate: { buildDefinition: { resolvedDependencies: object[] }; runDetails: { builder: { id: string } } };
  };
  const subjects = new Map(statement.subject.map(({ name, digest }) => [name, digest.sha256]));
  const later = new Set(['provenance.json', `kolla-pod-${VERSION}.intoto.jsonl`, 'cosign.pub']);
  const sums = (await readFile(join(place, 'SHA256SUMS'), 'utf8')).trimEnd().split('\n');
  for (const [sum, name] of sums.map((line) => line.split('  ') as [string, string]))
    if (!name.startsWith('oci/') && !later.has(name)) assert.equal(subjects.get(name), sum, name);
  const tags = await tagsOf(join(place, 'oci/kolla-pod'));
  const index = `sha256:${subjects.get(`registry.example.com/team/kolla-pod:${VERSION}`)}`;
  assert.equal(index, tags.get(VERSION)?.digest);
  assert.ok(subjects.has(`registry.example.com/team/kolla-pod/charts/nova:${VERSION}`));
  assert.deepEqual(statement.predicate.buildDefinition.resolvedDependencies[0], {
    uri: `git+${SOURCE.uri}@${SOURCE.commit}`,
    digest: { gitCommit: SOURCE.commit },
  });
  const envelope = JSON.parse(await readFile(join(place, `kolla-pod-${VERSION}.intoto.jsonl`), 'utf8')) as {
    payloadType: string;
    payload: string;
    signatures: { sig: string }[];
  };
  const payload = Buffer.from(envelope.payload, 'base64');
  assert.deepEqual(JSON.parse(payload.toString()), statement);
  const type = 'application/vnd.in-toto+json';
  assert.equal(envelope.payloadType, type);
  const signed = Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload]);
  assert.ok(verify('sha256', signed, pair.publicKey, Buffer.from(envelope.signatures[0]!.sig, 'base64')));
});

test('SHA256SUMS has every file, and its signature is valid; without a key nothing is signed', async () => {
  await must('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: place });
  const sums = await readFile(join(place, 'SHA256SUMS'));
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).length;
  assert.equal(sums.toString().trimEnd().split('\n').length, files - 2);
  const signature = Buffer.from(await readFile(join(place, 'SHA256SUMS.sig'), 'utf8'), 'base64');
  assert.ok(verify('sha256', sums, await readFile(join(place, 'cosign.pub'), 'utf8'), signature));
  await using directory = await privateDirectory('release');
  const unsigned = await release(directory.path);
  const names = await readdir(unsigned, { recursive: true });
  assert.deepEqual(
    names.filter((name) => /sig$|cosign|intoto/.test(name)),
    [],
  );
});

test('the same inputs give the same files, except for signatures', async () => {
  await using one = await privateDirectory('release');
  await using other = await privateDirectory('release');
  const sums: string[] = [];
  for (const { path } of [one, other]) sums.push(await readFile(join(await release(path), 'SHA256SUMS'), 'utf8'));
  assert.equal(sums[0], sums[1]);
});

test('a failure leaves the former release, and nothing else', async () => {
  await using directory = await privateDirectory('release');
  const old = await release(directory.path);
  const former = await readFile(join(old, 'SHA256SUMS'), 'utf8');
  const [first, ...rest] = await images(join(directory.path, 'images'));
  const lost = { ...first!, file: join(directory.path, 'none.tar') };
  const options = { compression: 'gzip', repository: 'kolla-pod', source: SOURCE, builder: 'urn:x' } as const;
  await assert.rejects(
    writeRelease({ directory: join(directory.path, 'release'), images: [lost, ...rest], ...options }),
    /ENOENT.*none/,
  );
  assert.deepEqual(await readdir(join(directory.path, 'release')), [VERSION]);
  assert.equal(await readFile(join(old, 'SHA256SUMS'), 'utf8'), former);
});

test("operator/ has the CRDs, the admission policy, and the manifest with the image of this release's repository and version", async () => {
  const files = {
    'crds/openstacks.yaml': 'crds/openstacks.yaml',
    'crds/openstackservices.yaml': 'crds/openstackservices.yaml',
    'policy.yaml': 'operator/policy.yaml',
  };
  for (const [name, source] of Object.entries(files))
    assert.equal(
      await readFile(join(place, 'operator', name), 'utf8'),
      await readFile(new URL(`../../k8s/${source}`, import.meta.url), 'utf8'),
    );
  const manifest = await readFile(join(place, 'operator/operator.yaml'), 'utf8');
  const named = [...manifest.matchAll(/^ +image: (.*)$/gm)].map(([, image]) => image);
  assert.deepEqual(named, [`registry.example.com/team/kolla-pod:${VERSION}-operator`]);
  assert.match(
    await readFile(join(place, 'operator/README.md'), 'utf8'),
    /^kubectl apply --server-side -f operator\/crds$/m,
  );
});

test("release notes are the CHANGELOG's section of the version, dated or not", () => {
  const changelog = '# Changelog\n\n## [Unreleased]: 1.1.0\n\n### Added\n\n- b\n\n## [1.0.0] - 2026-01-01\n\n- a\n';
  assert.equal(changesOf(changelog, '1.1.0'), '# Changes in 1.1.0\n\n### Added\n\n- b\n');
  assert.equal(changesOf(changelog, '1.0.0'), '# Changes in 1.0.0\n\n- a\n');
  for (const version of ['1.0', '2.0.0', '1.1.0-rc.1'])
    assert.throws(
      () => changesOf(changelog, version),
      (error) => error instanceof ConfigError && /CHANGELOG/.test(error.message),
    );
  assert.throws(() => changesOf('## [1.0.0]\n\n## [0.9.0]\n\n- a\n', '1.0.0'), ConfigError);
});
