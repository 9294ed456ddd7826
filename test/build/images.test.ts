import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { HERE } from '../../build/base.ts';
import { chartNames } from '../../build/charts.ts';
import { KINDS, type Kind } from '../../build/images/contents.ts';
import { licencesIn } from '../../build/images/helm.ts';
import { sizesOf } from '../../build/images/sizes.ts';
import { type BuiltImage } from '../../build/images/index.ts';
import { NAMES } from '../../build/names.ts';
import { CORE_NAMES } from '../../src/toolbox/install/core-names.ts';
import { VERSION } from '../../src/core/version.ts';
import { canBuildImages, podImages } from '../cluster/pod-images.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const ARCH = HERE.arch === 'x64' ? 'amd64' : 'arm64';
const skip = await canBuildImages();

interface Config {
  readonly architecture: string;
  readonly config: Record<string, unknown> & { Labels: Record<string, string> };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

interface Component {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly cpe?: string;
  readonly hashes?: readonly { alg: string; content: string }[];
  readonly licenses?: readonly ({ expression: string } | { license: { id: string } })[];
  readonly components?: readonly Component[];
}

interface Sbom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly serialNumber: string;
  readonly version: number;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { ref: string; dependsOn: readonly string[] }[];
}

test('docs/how-to/images.md has the sizes of docs/evidence/image-sizes.md', async () => {
  const rowsOf = (text: string) => [...text.matchAll(/^\| (kolla-pod:\S+) \| (\w+) \| (.+?) \| (.+?) \| (.+?) \|/gm)];
  const [page, printed] = await Promise.all(
    ['docs/how-to/images.md', 'docs/evidence/image-sizes.md'].map(async (file) =>
      rowsOf(await readFile(join(ROOT, file), 'utf8')).map((row) => row.slice(1, 6)),
    ),
  );
  assert.equal(printed?.length, 2 * KINDS.length);
  assert.deepEqual(page, printed);
});

test('a licence is recognized by its text, several are joined, and an unknown one is an error', () => {
  const bsd = 'Redistribution and use in source and binary\n forms, with or without modification, are permitted';
  assert.equal(licencesIn('a', bsd), 'BSD-2-Clause');
  assert.equal(licencesIn('a', `${bsd}. Neither the name of A`), 'BSD-3-Clause');
  const apache = 'Apache License\n  Version 2.0, January 2004';
  assert.equal(licencesIn('a', `Permission is hereby granted, free of charge, ${apache}`), 'Apache-2.0 AND MIT');
  assert.throws(
    () => licencesIn('example.com/a', 'All rights reserved.'),
    /the licence of the Go module example\.com\/a/,
  );
});

describe('the images', { skip }, () => {
  let images: readonly BuiltImage[];
  before(async () => {
    images = await podImages();
  });

  const of = (kind: Kind): BuiltImage => {
    const image = images.find((each) => each.kind === kind);
    assert.ok(image);
    return image;
  };
  const sbomOf = async (kind: Kind) =>
    JSON.parse(await readFile(of(kind).file.replace(/\.tar$/, '.cdx.json'), 'utf8')) as Sbom;

  test('scratch and core contain only files, install and operator run as uid 65532; all have labels', async () => {
    const [scratch, install, core, operator] = [
      await configOf(of('scratch')),
      await configOf(of('install')),
      await configOf(of('core')),
      await configOf(of('operator')),
    ];
    for (const { rootfs, config } of [scratch, core]) {
      assert.equal(rootfs.diff_ids.length, 1);
      assert.equal(config['Entrypoint'], undefined);
    }
    assert.equal(install.rootfs.diff_ids.length, 2);
    assert.equal(install.config['User'], '65532:65532');
    assert.deepEqual(install.config['Entrypoint'], ['/usr/local/bin/kolla-pod']);
    assert.equal(operator.config['User'], '65532:65532');
    assert.deepEqual(operator.config['Entrypoint'], ['/usr/local/bin/kolla-operator']);
    assert.deepEqual(operator.rootfs.diff_ids.slice(0, -1), install.rootfs.diff_ids, "operator has install's layers");
    for (const [kind, { architecture, config }] of [
      ['scratch', scratch],
      ['install', install],
      ['core', core],
      ['operator', operator],
    ] as const) {
      assert.equal(architecture, ARCH);
      assert.equal(config.Labels['org.opencontainers.image.title'], `kolla-pod ${kind}`);
      assert.equal(config.Labels['org.opencontainers.image.version'], VERSION);
      assert.equal(config.Labels['org.opencontainers.image.licenses'], 'Apache-2.0');
    }
  });

  test('the files are as installed by kolla-pod install, and scratch contains nothing else', async () => {
    await using directory = await privateDirectory('images');
    await unpack(of('scratch'), directory.path);
    const root = join(directory.path, 'root');
    const volume = join(directory.path, 'volume');
    await must(join(root, 'opt/kolla-pod/kolla-pod'), ['install', volume]);
    const { stdout } = await compare(join(root, 'opt/kolla-pod'), volume);
    assert.equal(stdout, `Only in ${join(root, 'opt/kolla-pod')}: share\n`);
    assert.equal(await must('sh', ['-c', 'ls -A . opt'], { cwd: root }), '.:\nopt\n\nopt:\nkolla-pod\n');
    assert.equal(await readlink(join(root, 'opt/kolla-pod/bin/kolla-init')), '../kolla-core');
  });

  test('the image core contains kolla-core, which runs, links with its names, and nothing else', async () => {
    await using directory = await privateDirectory('images');
    await unpack(of('core'), directory.path);
    const root = join(directory.path, 'root/opt/kolla-pod');
    const found = await must('sh', ['-c', 'find . ! -type d -printf "%p %l\\n" | sort'], { cwd: root });
    const names = CORE_NAMES.filter((name) => name !== 'sudo');
    const links = names.map((name) => `./bin/${name} ../kolla-core`);
    const files = ['./kolla-core ', './rootless-bin/sudo ../kolla-core', './share/LICENSES ', './share/sbom.cdx.json '];
    assert.deepEqual(found.split('\n').filter(Boolean).toSorted(), [...links, ...files].toSorted());
    for (const name of names)
      assert.equal(await must(join(root, 'bin', name), ['--version']), `${name} ${VERSION} (kolla-core)\n`);
    const { bytes, gzip, base } = await sizesOf(of('core').file);
    assert.equal(base, 0);
    assert.ok(bytes <= 5 * 2 ** 20 && gzip <= 2.6 * 2 ** 20, `${bytes} bytes, ${gzip} in gzip`);
  });

  test("the SBOM and licences of core name the TLS library, the engine, the C library, zig's own and kolla-core's packages, and not node", async () => {
    const { components } = await sbomOf('core');
    const names = components.map(({ name }) => name);
    for (const name of ['kolla-core', 'aws-lc', 'libdeflate', 'quickjs-ng', 'musl', 'zig', 'js-yaml', 'dns-packet'])
      assert.ok(names.includes(name), `${name} in ${names.join()}`);
    for (const name of ['kolla-pod', `node-linux-${HERE.arch}`, 'mysql2']) assert.ok(!names.includes(name), name);
    await using directory = await privateDirectory('images');
    await unpack(of('core'), directory.path);
    const list = await readFile(join(directory.path, 'root/opt/kolla-pod/share/LICENSES'), 'utf8');
    for (const { name, version } of components.filter((one) => one.name !== 'kolla-core'))
      assert.equal(list.split(`${name} ${version}`).length, 3, `${name}: once in the list, once above its text`);
    assert.doesNotMatch(list, /node-linux/);
  });

  test('the base image is a few MiB, and all images compress to a third', async () => {
    const [scratch, install] = [await sizesOf(of('scratch').file), await sizesOf(of('install').file)];
    assert.equal(scratch.base, 0);
    assert.ok(install.base > 2 ** 20 && install.base < 16 * 2 ** 20, `${install.base} bytes`);
    for (const { bytes, gzip } of [scratch, install])
      assert.ok(gzip > bytes / 10 && gzip < bytes / 2, `${gzip} of ${bytes}`);
  });

  for (const [kind, more] of [
    ['install', []],
    ['operator', ['./usr/local/bin/helm']],
  ] as const)
    test(`${kind} has no shell, no package manager and no set-uid program`, async () => {
      await using directory = await privateDirectory('images');
      await unpack(of(kind), directory.path);
      const root = join(directory.path, 'root');
      const found = await must('find', ['.', '-type', 'f', '-perm', '/111', '!', '-name', '*.so*'], { cwd: root });
      assert.deepEqual(
        found
          .trim()
          .split('\n')
          .filter((path) => !path.startsWith('./opt/kolla-pod/'))
          .toSorted(),
        [...more, './usr/local/bin/kolla-core', './usr/local/bin/kolla-pod'],
      );
      assert.equal(await must('find', ['.', '-perm', '/6000'], { cwd: root }), '');
      assert.equal(await must('find', ['.', '!', '-type', 'l', '!', '-perm', '-o=r'], { cwd: root }), '');
      const names = await must('sh', ['-c', 'ls usr/local/bin'], { cwd: root });
      const programs = ['kolla-core', ...NAMES, ...more.map((path) => basename(path))];
      assert.deepEqual(names.trim().split('\n').toSorted(), programs.toSorted());
    });

  for (const kind of KINDS) {
    test(`the bill of materials of ${kind} is valid CycloneDX 1.6`, async () => {
      const { bomFormat, specVersion, serialNumber, version, metadata, components, dependencies } = await sbomOf(kind);
      assert.deepEqual([bomFormat, specVersion, version], ['CycloneDX', '1.6', 1]);
      assert.match(serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      const all = [metadata.component, ...components.flatMap((one) => [one, ...(one.components ?? [])])];
      for (const one of all) {
        assert.match(one.type, /^(application|container|file|library|platform)$/);
        assert.ok(one.name !== '' && one.version !== '', JSON.stringify(one));
        // pkg:type/namespace/name@version?qualifiers, percent-encoded.
        if (one.purl !== undefined)
          assert.match(
            one.purl,
            /^pkg:(npm|generic|deb|golang)\/([\w.%+-]+\/)*[\w.%+-]+@[\w.%-]+(\?[a-z_]+=[\w.-]+(&[a-z_]+=[\w.-]+)*)?$/,
          );
        for (const { alg, content } of one.hashes ?? [])
          assert.match(content, alg === 'SHA-256' ? /^[0-9a-f]{64}$/ : /^[0-9a-f]{128}$/);
        for (const licence of one.licenses ?? [])
          if ('license' in licence) assert.match(licence.license.id, /^[A-Za-z0-9.-]+$/);
      }
      const refs = all.map((one) => one['bom-ref']);
      assert.equal(new Set(refs).size, refs.length, 'a duplicate bom-ref');
      for (const { ref, dependsOn } of dependencies)
        for (const one of [ref, ...dependsOn]) assert.ok(refs.includes(one), `${one} is not a component`);
    });
  }

  test('the SBOM has the binary with its digest, each bundled package, the parts of node, and Debian’s packages', async () => {
    const { components } = await sbomOf('install');
    const [binary] = components;
    await using directory = await privateDirectory('images');
    await unpack(of('install'), directory.path);
    assert.equal(binary?.hashes?.[0]?.content, await sha256(join(directory.path, 'root/usr/local/bin/kolla-pod')));
    const purls = components.map(({ purl = '' }) => purl);
    const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version?: string; dependencies?: Record<string, string> }>;
    };
    for (const name of Object.keys(lock.packages['']?.dependencies ?? {})) {
      const version = lock.packages[`node_modules/${name}`]?.version;
      assert.ok(purls.includes(`pkg:npm/${name.replace('@', '%40')}@${version}`), name);
    }
    const node = components.find(({ name }) => name === `node-linux-${HERE.arch}`);
    assert.equal(node?.version, process.versions.node);
    assert.equal(node?.cpe, `cpe:2.3:a:nodejs:node.js:${process.versions.node}:*:*:*:*:*:*:*`);
    const openssl = node?.components?.find(({ name }) => name === 'openssl');
    assert.equal(openssl?.version, process.versions.openssl);
    for (const name of ['libc6', 'libgcc-s1', 'libstdc%2B%2B6'])
      assert.ok(
        purls.some((purl) => purl.startsWith('pkg:deb/') && purl.includes(`/${name}@`)),
        name,
      );
    assert.ok(!(await sbomOf('scratch')).components.some(({ purl }) => purl?.startsWith('pkg:deb/')));
  });

  test('operator has Helm of the version in tools/helm, and every chart; its SBOM has their digests and the Go modules', async () => {
    await using directory = await privateDirectory('images');
    await unpack(of('operator'), directory.path);
    const root = join(directory.path, 'root');
    const version = (await must(join(root, 'usr/local/bin/helm'), ['version', '--template', '{{.Version}}'])).trim();
    const { components } = await sbomOf('operator');
    const helm = components.find(({ type, name }) => type === 'application' && name === 'helm.sh/helm/v4');
    assert.equal(helm?.version, version);
    assert.equal(helm?.hashes?.[0]?.content, await sha256(join(root, 'usr/local/bin/helm')));
    const charts = await readdir(join(root, 'usr/share/kolla-pod/charts'));
    assert.deepEqual(
      charts.toSorted(),
      chartNames()
        .map((name) => `${name}-${VERSION}.tgz`)
        .toSorted(),
    );
    for (const chart of charts) {
      const listed = components.find(({ name }) => name === chart);
      assert.equal(listed?.hashes?.[0]?.content, await sha256(join(root, 'usr/share/kolla-pod/charts', chart)));
    }
    const list = await readFile(join(root, 'opt/kolla-pod/share/LICENSES'), 'utf8');
    const modules = components.filter(({ purl }) => purl?.startsWith('pkg:golang/'));
    for (const name of ['k8s.io/client-go', 'stdlib'])
      assert.ok(
        modules.some((one) => one.name === name),
        name,
      );
    for (const one of modules)
      assert.equal(list.split(`${one.name} ${one.version}`).length, 3, `${one.name}: in the list, and above its text`);
    assert.deepEqual(
      JSON.parse(await readFile(join(root, 'opt/kolla-pod/share/sbom.cdx.json'), 'utf8')),
      await sbomOf('operator'),
    );
  });

  test('the licence list has the text for each package in the SBOM', async () => {
    const list = await readFile(of('install').file.replace(/-install(-\w+)\.tar$/, '$1.LICENSES'), 'utf8');
    const { components } = await sbomOf('scratch');
    for (const { name, version } of components.filter(({ purl }) => purl?.startsWith('pkg:npm/')))
      assert.equal(list.split(`${name} ${version}`).length, 3, `${name}: once in the list, once above its text`);
    assert.match(list, /Apache License[^]*MIT License/);
  });
});

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function configOf({ file, id }: BuiltImage): Promise<Config> {
  const text = await must('tar', ['-xOf', file, `${id.replace('sha256:', '')}.json`]);
  return JSON.parse(text) as Config;
}

/** The archive and, in `root`, its unpacked layers. */
async function unpack({ file }: BuiltImage, directory: string): Promise<void> {
  const script = 'tar -xf "$0"; mkdir root; for layer in layer-*.tar; do tar -C root --no-same-owner -xpf $layer; done';
  await must('sh', ['-ec', script, file], { cwd: directory });
}

async function compare(one: string, other: string): Promise<{ stdout: string }> {
  return { stdout: await must('sh', ['-c', 'diff -r --no-dereference "$0" "$1" || [ $? -eq 1 ]', one, other]) };
}
