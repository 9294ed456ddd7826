import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '../../../src/core/errors.ts';
import { bringsCaCertificates } from '../../../src/container/ca/added.ts';
import { caVolumes, prepareCaStore } from '../../../src/container/ca/prepare.ts';
import { subjectHash } from '../../../src/container/ca/subject-hash.ts';
import { makeAuthority } from '../../cluster/authority.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { recordedLog } from '../../support/recorded-log.ts';

const IMAGES_OWN = makeAuthority("The Image's");
const [ONE, TWO] = [makeAuthority('One'), makeAuthority('Two')];
const hashOf = (pem: string) => subjectHash(new X509Certificate(pem));

const DEBIAN = {
  'etc/debian_version': '12\n',
  'usr/share/ca-certificates/own.crt': IMAGES_OWN.certificate,
  'usr/local/share/ca-certificates/local.crt': TWO.certificate,
  'etc/ssl/certs/ca-certificates.crt': IMAGES_OWN.certificate,
  'etc/ssl/certs/java/cacerts': 'keystore',
};
const BUNDLE = 'etc/ssl/certs/ca-certificates.crt';
const CERTS = 'etc/ssl/certs';

async function setUp(image: Readonly<Record<string, string>>) {
  const directory = await privateDirectory('ca');
  const [root, configDir, { log, said }] = [
    join(directory.path, 'root'),
    join(directory.path, 'config'),
    recordedLog(),
  ];
  await mkdir(root);
  await mkdir(configDir);
  for (const [path, text] of Object.entries(image)) await put(join(directory.path, 'image'), path, text);
  if (image === DEBIAN)
    await symlink('/usr/share/ca-certificates/own.crt', join(directory.path, 'image', CERTS, 'own.pem'));
  const sources = join(configDir, 'ca-certificates');
  return {
    root,
    said,
    sources,
    bring: (name: string, text: string) => put(sources, name, text),
    drop: (name: string) => rm(join(sources, name)),
    prepare: async (asked = false) =>
      prepareCaStore({
        image: join(directory.path, 'image'),
        root,
        configDir,
        asked,
        signal: new AbortController().signal,
        log,
      }),
    read: (path: string) => readFile(join(root, path), 'utf8'),
    list: async (path: string) => {
      const names: string[] = await readdir(join(root, path)).catch(() => []);
      return names.toSorted();
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

async function put(directory: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), text);
}

test("the volume gets the image's store, the deployment's certificate, its hash link and the bundle", async () => {
  await using ca = await setUp(DEBIAN);
  await ca.bring('one.crt', ONE.certificate);
  assert.equal(await ca.prepare(), 1);
  const hash = `${hashOf(ONE.certificate)}.0`;
  const names = ['ca-certificates.crt', 'java', 'kolla-customca-one.pem', 'own.pem'];
  assert.deepEqual(await ca.list(CERTS), [hash, ...names].toSorted());
  assert.equal(await readlink(join(ca.root, CERTS, hash)), 'kolla-customca-one.pem');
  assert.equal(await readlink(join(ca.root, CERTS, 'own.pem')), '/usr/share/ca-certificates/own.crt');
  assert.equal(await ca.read(BUNDLE), IMAGES_OWN.certificate + ONE.certificate);
  assert.equal(await ca.read(`${CERTS}/java/cacerts`), 'keystore');
  assert.deepEqual(await ca.list('usr/local/share/ca-certificates'), ['kolla-customca-one.crt', 'local.crt']);
});

test('certificates are world-readable, whatever the mode of their Secret', async () => {
  await using ca = await setUp(DEBIAN);
  await ca.bring('one.crt', ONE.certificate);
  await chmod(join(ca.sources, 'one.crt'), 0o400);
  await ca.prepare();
  for (const name of ['kolla-customca-one.pem', 'ca-certificates.crt'])
    assert.equal((await lstat(join(ca.root, CERTS, name))).mode & 0o777, 0o644);
});

for (const link of [CERTS, 'usr/local/share/ca-certificates', 'usr/local', `${CERTS}/java`])
  test(`a symlink of the volume does not redirect the store out of it: ${link}`, async () => {
    await using ca = await setUp(DEBIAN);
    await using outside = await privateDirectory('outside');
    await ca.bring('one.crt', ONE.certificate);
    await mkdir(dirname(join(ca.root, link)), { recursive: true });
    await symlink(outside.path, join(ca.root, link));
    if (link.endsWith('java')) await ca.prepare();
    else await assert.rejects(ca.prepare(), { name: 'ConfigError', message: /is a link to .*, outside of / });
    assert.deepEqual(await readdir(outside.path), []);
  });

test('a second run writes nothing', async () => {
  await using ca = await setUp(DEBIAN);
  await ca.bring('one.crt', ONE.certificate);
  await ca.prepare();
  const times = async () =>
    Promise.all((await ca.list(CERTS)).map(async (name) => (await lstat(join(ca.root, CERTS, name))).ctimeMs));
  const before = await times();
  await ca.prepare();
  assert.deepEqual(await times(), before);
});

test("a certificate removed from the deployment is removed from the store; the image's stay", async () => {
  await using ca = await setUp(DEBIAN);
  await ca.bring('one.crt', ONE.certificate);
  await ca.bring('two.crt', TWO.certificate);
  await ca.prepare();
  await ca.drop('one.crt');
  assert.equal(await ca.prepare(), 1);
  assert.equal(await ca.read(BUNDLE), IMAGES_OWN.certificate + TWO.certificate);
  const names = ['ca-certificates.crt', 'java', 'kolla-customca-two.pem', 'own.pem'];
  assert.deepEqual(await ca.list(CERTS), [`${hashOf(TWO.certificate)}.0`, ...names].toSorted());
  await rm(ca.sources, { recursive: true });
  assert.equal(await ca.prepare(), 0);
  assert.equal(await ca.read(BUNDLE), IMAGES_OWN.certificate);
  assert.deepEqual(await ca.list(CERTS), ['ca-certificates.crt', 'java', 'own.pem']);
});

test('a CA and its renewal share a subject: both have a link, and the remaining one moves up', async () => {
  await using ca = await setUp(DEBIAN);
  const renewed = makeAuthority('One');
  const hash = hashOf(ONE.certificate);
  await ca.bring('a.crt', ONE.certificate);
  await ca.bring('b.crt', renewed.certificate);
  await ca.prepare();
  const link = (n: number) => readlink(join(ca.root, CERTS, `${hash}.${n}`)).catch(() => undefined);
  assert.deepEqual([await link(0), await link(1)], ['kolla-customca-a.pem', 'kolla-customca-b.pem']);
  await ca.drop('a.crt');
  await ca.prepare();
  assert.deepEqual([await link(0), await link(1)], ['kolla-customca-b.pem', undefined]);
});

test("a subject present in the image does not take the image's link", async () => {
  const hash = hashOf(ONE.certificate);
  await using ca = await setUp({ ...DEBIAN, [`${CERTS}/${hash}.0`]: makeAuthority('One').certificate });
  await ca.bring('one.crt', ONE.certificate);
  await ca.prepare();
  assert.equal(await readlink(join(ca.root, CERTS, `${hash}.1`)), 'kolla-customca-one.pem');
});

test('several certificates in one file are all found by their hashes', async () => {
  await using ca = await setUp(DEBIAN);
  await ca.bring('both.crt', ONE.certificate + TWO.certificate);
  assert.equal(await ca.prepare(), 2);
  for (const { certificate } of [ONE, TWO])
    assert.equal(await readlink(join(ca.root, CERTS, `${hashOf(certificate)}.0`)), 'kolla-customca-both.pem');
});

test('all files without a certificate are reported, and nothing is touched', async () => {
  await using ca = await setUp(DEBIAN);
  await ca.bring('good.crt', ONE.certificate);
  await ca.bring('bad.crt', 'hello');
  await ca.bring('cut.crt', ONE.certificate.slice(0, 200));
  await assert.rejects(ca.prepare(), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(
      error.message,
      /ca-certificates\/bad\.crt: it contains no PEM certificate.*ca-certificates\/cut\.crt: .*truncated/,
    );
    return true;
  });
  assert.deepEqual(await readdir(ca.root), []);
});

test("a file name that the image's update would ignore is skipped with a warning", async () => {
  await using ca = await setUp(DEBIAN);
  await ca.bring('one.pem', ONE.certificate);
  assert.equal(await ca.prepare(), 0);
  assert.match(ca.said(), /one\.pem is not added: update-ca-certificates reads only files that end with \.crt/);
});

test('without certificates nothing is done; if config.json names them the volume is filled anyway', async () => {
  await using ca = await setUp(DEBIAN);
  assert.equal(await ca.prepare(), undefined);
  assert.deepEqual(await readdir(ca.root), []);
  assert.equal(await ca.prepare(true), 0);
  assert.equal(await ca.read(BUNDLE), IMAGES_OWN.certificate);
});

test('certificates that config.json installs into the shared directory are read from there', async () => {
  await using ca = await setUp(DEBIAN);
  await put(ca.root, 'var/lib/kolla/share/ca-certificates/one.crt', ONE.certificate);
  assert.equal(await ca.prepare(), 1);
});

test("Red Hat's store has its bundles and, if the image has it, the directory of hashes", async () => {
  const extracted = 'etc/pki/ca-trust/extracted';
  await using ca = await setUp({
    'etc/redhat-release': 'Rocky\n',
    [`${extracted}/pem/tls-ca-bundle.pem`]: `# own\n${IMAGES_OWN.certificate}`,
    [`${extracted}/pem/directory-hash/own.pem`]: IMAGES_OWN.certificate,
  });
  await ca.bring('one.pem', ONE.certificate);
  assert.equal(await ca.prepare(), 1);
  assert.equal(
    await ca.read(`${extracted}/pem/tls-ca-bundle.pem`),
    `# own\n${IMAGES_OWN.certificate}${ONE.certificate}`,
  );
  assert.deepEqual(await ca.list(`${extracted}/pem`), ['directory-hash', 'tls-ca-bundle.pem']);
  const links = await ca.list(`${extracted}/pem/directory-hash`);
  assert.deepEqual(links, [`${hashOf(ONE.certificate)}.0`, 'kolla-customca-one.pem.pem', 'own.pem'].toSorted());
  assert.deepEqual(await ca.list('etc/pki/ca-trust/source/anchors'), ['kolla-customca-one.pem']);
});

test('the directories to mount are those that are filled', async () => {
  await using ca = await setUp(DEBIAN);
  const image = join(ca.root, '../image');
  assert.deepEqual(caVolumes(image), ['/etc/ssl/certs', '/usr/local/share/ca-certificates']);
});

test("config.json has certificates if a source is Kolla's directory of them", () => {
  assert.ok(bringsCaCertificates(['/x', '/var/lib/kolla/config_files/ca-certificates/']));
  assert.ok(!bringsCaCertificates(['/var/lib/kolla/config_files/ca.crt']));
});
