import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '../../src/core/errors.ts';
import { must } from '../../tools/process.ts';
import { entry, pod, type Pod } from './support.ts';

interface Life extends Pod {
  readonly image: string;
  readonly at: (path: string) => string;
  /** Gives the image its own default.conf in this directory of /run, and a link /var/run to /run. */
  readonly linked: (directory: string) => Promise<void>;
  /** Installs these config_files. */
  readonly with: (...files: object[]) => Promise<unknown>;
}

/** A pod that installs into a volume filled from an image, or into the image itself with a volume at /run/kolla. */
async function life(kind: 'volume' | 'image'): Promise<Life> {
  const p = await pod();
  const image = kind === 'image' ? p.root : join(p.configDir, '../image');
  await p.write(join(image, 'etc/x/default.conf'), "the image's", 0o640);
  await mkdir(join(p.root, 'run/kolla'), { recursive: true });
  for (const name of ['default.conf', 'new.conf']) await p.write(join(p.configDir, name), "the deployment's");
  return {
    ...p,
    image,
    at: (path) => join(p.root, path),
    async linked(directory) {
      await p.write(join(image, directory, 'default.conf'), "the image's");
      await mkdir(join(image, 'var'), { recursive: true });
      await symlink('/run', join(image, 'var/run'));
    },
    async with(...config_files) {
      await p.config({ command: 'true', config_files });
      return await p.apply({ image });
    },
    [Symbol.asyncDispose]: () => p[Symbol.asyncDispose](),
  };
}

for (const kind of ['volume', 'image'] as const) {
  test(`in the ${kind}, dropping an entry removes its file, or restores the image's own`, async () => {
    await using p = await life(kind);
    const keeper = entry('new.conf', '/etc/x/keeper.conf');
    const both = [entry('default.conf', '/etc/x/default.conf'), entry('new.conf', '/etc/x/new.conf'), keeper];
    for (let start = 0; start < 3; start++) await p.with(...both);
    assert.equal(await readFile(p.at('etc/x/default.conf'), 'utf8'), "the deployment's");
    await p.with(keeper);
    assert.equal(await readFile(p.at('etc/x/default.conf'), 'utf8'), "the image's");
    assert.equal((await stat(p.at('etc/x/default.conf'))).mode & 0o777, 0o640);
    assert.deepEqual((await readdir(p.at('etc/x'))).toSorted(), ['default.conf', 'keeper.conf']);
    assert.deepEqual(Object.keys(JSON.parse(await readFile(p.at('run/kolla/state'), 'utf8')) as object), [
      '/etc/x/keeper.conf',
    ]);
  });

  test(`in the ${kind}, a directory copied without merge loses files whose source was removed, and keeps the service's`, async () => {
    await using p = await life(kind);
    await p.write(join(p.configDir, 'x/one.conf'), '1');
    await p.write(join(p.configDir, 'x/sub/two.conf'), '2');
    await p.with(entry('x', '/etc/x'));
    await writeFile(p.at('etc/x/by-service'), 'precious');
    await rm(join(p.configDir, 'x/sub'), { recursive: true });
    await p.with(entry('x', '/etc/x'));
    assert.deepEqual((await readdir(p.at('etc/x'))).toSorted(), ['by-service', 'one.conf']);
    await p.with(entry('new.conf', '/etc/x/new.conf'));
    assert.deepEqual((await readdir(p.at('etc/x'))).toSorted(), ['by-service', 'default.conf', 'new.conf']);
  });

  test(`in the ${kind}, renaming an entry's path keeps its file, and the image's own is still known`, async () => {
    await using p = await life(kind);
    await p.linked('/run/x');
    const both = (directory: string) => ['default.conf', 'new.conf'].map((name) => entry(name, `${directory}/${name}`));
    for (const directory of ['/var/run/x', '/run/x', '/var/run/x']) {
      await p.with(...both(directory));
      for (const name of ['default.conf', 'new.conf'])
        assert.equal(await readFile(p.at(`run/x/${name}`), 'utf8'), "the deployment's", `${directory}/${name}`);
    }
    await p.with();
    assert.deepEqual(await readdir(p.at('run/x')), ['default.conf']);
    assert.equal(await readFile(p.at('run/x/default.conf'), 'utf8'), "the image's");
  });

  test(`in the ${kind}, a directory copied without merge under another name keeps the service's files`, async () => {
    await using p = await life(kind);
    await p.linked('/run/x');
    for (const name of ['one.conf', 'two.conf']) await p.write(join(p.configDir, 'x', name), name);
    await p.with(entry('x', '/var/run/x'));
    await writeFile(p.at('run/x/by-service'), 'precious');
    await rm(join(p.configDir, 'x/two.conf'));
    await p.with(entry('x', '/run/x'));
    assert.deepEqual((await readdir(p.at('run/x'))).toSorted(), ['by-service', 'one.conf']);
    await p.with(entry('new.conf', '/run/x/new.conf'));
    assert.deepEqual((await readdir(p.at('run/x'))).toSorted(), ['by-service', 'default.conf', 'new.conf']);
  });
}

test("a directory copied with merge keeps the image's files", async () => {
  await using p = await life('image');
  await p.write(join(p.configDir, 'x/one.conf'), '1');
  await p.with(entry('x', '/etc/x', { merge: 'true' }));
  assert.deepEqual((await readdir(p.at('etc/x'))).toSorted(), ['default.conf', 'one.conf']);
});

test('a directory created for an entry is removed with it', async () => {
  await using p = await life('volume');
  await p.write(join(p.configDir, 'domains/x.conf'), '');
  await p.with(entry('domains', '/etc/keystone/domains'));
  await p.with();
  assert.deepEqual(await readdir(p.at('etc/keystone')), []);
});

test("the image's own link is restored as a link", async () => {
  await using p = await life('image');
  await symlink('default.conf', p.at('etc/x/link.conf'));
  await p.with(entry('new.conf', '/etc/x/link.conf'));
  assert.equal((await stat(p.at('etc/x/link.conf'))).size, "the deployment's".length);
  await p.with();
  assert.equal(await readFile(p.at('etc/x/link.conf'), 'utf8'), "the image's");
});

test("the state has Kolla's format, and its directory is accessible to the user and its group only", async () => {
  await using p = await life('volume');
  await rm(p.at('run'), { recursive: true });
  await p.with(entry('new.conf', '/etc/x/new.conf'));
  assert.equal((await stat(p.at('run/kolla'))).mode & 0o777, 0o750);
  assert.equal(
    await readFile(p.at('run/kolla/state'), 'utf8'),
    `{\n    "/etc/x/new.conf": {\n        "source": "/etc/x/new.conf",\n        "preserve_properties": true,\n        "dest": null\n    }\n}`,
  );
});

test('an invalid state is rejected with the fix, and nothing is touched', async () => {
  await using p = await life('volume');
  const rejected = () =>
    assert.rejects(p.with(entry('new.conf', '/etc/x/new.conf')), (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /run\/kolla\/state is not what this tool writes.*remove it/);
      return true;
    });
  await p.write(p.at('run/kolla/state'), '{"half');
  await rejected();
  await rm(p.at('run/kolla/state'));
  // Reading it would wait for its writer for ever.
  await must('mkfifo', [p.at('run/kolla/state')]);
  await rejected();
  await assert.rejects(stat(p.at('etc/x')), { code: 'ENOENT' });
});

test('in the image itself, without a state directory, nothing is tracked or removed', async () => {
  await using p = await life('image');
  await rm(p.at('run'), { recursive: true });
  await p.with(entry('new.conf', '/etc/x/new.conf'));
  await p.with();
  assert.deepEqual((await readdir(p.at('etc/x'))).toSorted(), ['default.conf', 'new.conf']);
  await assert.rejects(stat(p.at('run')), { code: 'ENOENT' });
});

test('a file named only in the files section stays in a directory copied without merge', async () => {
  await using p = await life('image');
  await p.write(join(p.configDir, 'x/one.conf'), '1');
  await p.config({
    command: 'true',
    files: [{ path: '/etc/x/by-files', owner: 'keystone', perm: '0600' }],
    config_files: [entry('x', '/etc/x')],
  });
  for (let start = 0; start < 2; start++) {
    await p.apply({ image: p.image });
    assert.deepEqual((await readdir(p.at('etc/x'))).toSorted(), ['by-files', 'one.conf']);
  }
});
