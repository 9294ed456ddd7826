import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';
import { imagesTar, imageTar, layerOfFile, layerOfDirectory } from '../../tools/image.ts';
import { tarOf } from '../../tools/tar.ts';

test('tar reads our archives: directories, files, links, owners and modes', async () => {
  await using directory = await privateDirectory('image');
  const file = join(directory.path, 'layer.tar');
  const entries = [
    { name: 'etc/', mode: 0o755 },
    { name: 'etc/passwd', mode: 0o640, uid: 42_425, gid: 42_400, content: 'root:x:0:0::/:/\n' },
    { name: 'etc/link', mode: 0o777, link: 'passwd' },
  ];
  await writeFile(file, Buffer.concat([...tarOf(entries)]));
  const listed = await must('tar', ['--list', '--verbose', '--numeric-owner', '--file', file]);
  assert.deepEqual(
    listed.split('\n').map((line) => line.replaceAll(/\s+/g, ' ').replace(/\d{4}-\d\d-\d\d \d\d:\d\d /, '')),
    ['drwxr-xr-x 0/0 0 etc/', '-rw-r----- 42425/42400 16 etc/passwd', 'lrwxrwxrwx 0/0 0 etc/link -> passwd', ''],
  );
});

test('an entry with an overlong name is rejected', () => {
  assert.throws(() => [...tarOf([{ name: 'x'.repeat(101), mode: 0o644 }])], RangeError);
});

test('an image has its layers with their digests, and its configuration', async () => {
  await using directory = await privateDirectory('image');
  const root = join(directory.path, 'root');
  await mkdir(join(root, 'usr/bin'), { recursive: true });
  await writeFile(join(root, 'usr/bin/tool'), 'x'.repeat(1_000_001));
  await chmod(join(root, 'usr/bin/tool'), 0o755);
  await symlink('tool', join(root, 'usr/bin/alias'));
  const file = join(directory.path, 'image.tar');
  await imageTar(file, {
    reference: 'example.test/tool:1',
    layers: [layerOfDirectory(root, ['--owner=42', '--group=42']), tarOf([{ name: 'data/', mode: 0o1777 }])],
    entrypoint: ['/usr/bin/tool'],
    env: { PATH: '/usr/bin' },
    user: '42425:42425',
  });
  const out = join(directory.path, 'out');
  await mkdir(out);
  await must('tar', ['--extract', '--file', file, '--directory', out]);
  const [manifest] = JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8')) as [
    { Config: string; RepoTags: string[]; Layers: string[] },
  ];
  const config = JSON.parse(await readFile(join(out, manifest.Config), 'utf8')) as {
    config: object;
    rootfs: { diff_ids: string[] };
  };
  assert.deepEqual(manifest.RepoTags, ['example.test/tool:1']);
  assert.deepEqual(config.config, { Entrypoint: ['/usr/bin/tool'], Env: ['PATH=/usr/bin'], User: '42425:42425' });
  const sums = await must(
    'sha256sum',
    manifest.Layers.map((name) => join(out, name)),
  );
  assert.deepEqual(
    config.rootfs.diff_ids,
    sums.match(/^[0-9a-f]{64}/gm)?.map((digest) => `sha256:${digest}`),
  );
  const listed = await must('tar', ['--list', '--verbose', '--numeric-owner', '--file', join(out, 'layer-0.tar')]);
  assert.match(listed, /^-rwxr-xr-x 42\/42 +1000001 .* \.\/usr\/bin\/tool$/m);
});

test('the same layers yield the same image', async () => {
  await using directory = await privateDirectory('image');
  const root = join(directory.path, 'root');
  await mkdir(root);
  await writeFile(join(root, 'a'), 'a');
  const images = ['1.tar', '2.tar'].map((name) => join(directory.path, name));
  for (const file of images) {
    await writeFile(join(root, 'a'), 'a'); // a new time
    await imageTar(file, { reference: 'example.test/a:1', layers: [layerOfDirectory(root)] });
  }
  assert.deepEqual(await readFile(images[0]!), await readFile(images[1]!));
});

test('a failing layer leaves no image behind', async () => {
  await using directory = await privateDirectory('image');
  const file = join(directory.path, 'image.tar');
  const missing = layerOfDirectory(join(directory.path, 'nowhere'));
  await assert.rejects(imageTar(file, { reference: 'example.test/a:1', layers: [missing] }), /nowhere.*ended with 2/s);
  await assert.rejects(stat(file), { code: 'ENOENT' });
  const unreadable = layerOfFile(join(directory.path, 'no.tar'));
  await assert.rejects(imageTar(file, { reference: 'example.test/a:1', layers: [unreadable] }), { code: 'ENOENT' });
});

test('a layer shared by two images is written once, and the manifest of each image names its layers', async () => {
  await using directory = await privateDirectory('image');
  const file = join(directory.path, 'images.tar');
  const layer = (name: string) => [...tarOf([{ name, mode: 0o644, content: name }])];
  const [base, top] = [layer('base'), layer('top')];
  const ids = await imagesTar(file, [
    { reference: 'example.test/a:1', otherReferences: ['example.test/a:2'], layers: [base] },
    { reference: 'example.test/b:1', layers: [base, top] },
  ]);
  await must('tar', ['--extract', '--file', file, '--directory', directory.path]);
  const manifest = JSON.parse(await readFile(join(directory.path, 'manifest.json'), 'utf8')) as {
    Config: string;
    RepoTags: string[];
    Layers: string[];
  }[];
  assert.deepEqual(
    manifest.map(({ RepoTags, Layers }) => [RepoTags, Layers]),
    [
      [['example.test/a:1', 'example.test/a:2'], ['layer-0.tar']],
      [['example.test/b:1'], ['layer-0.tar', 'layer-1.tar']],
    ],
  );
  assert.deepEqual(
    manifest.map(({ Config }) => `sha256:${Config.replace('.json', '')}`),
    ids,
  );
  assert.match(await readFile(join(directory.path, 'layer-0.tar'), 'latin1'), /^base/);
});
