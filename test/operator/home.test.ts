import assert from 'node:assert/strict';
import { chmod, chown, lstat, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { helmHome } from '../../src/operator/home.ts';
import { canGiveFilesAway } from '../../tools/capability.ts';
import { privateDirectory } from '../../tools/directory.ts';

const cannotGive = await canGiveFilesAway();

test('without a directory, Helm has a new one that no other user can enter, until the end', async () => {
  const paths: string[] = [];
  for (let run = 0; run < 2; run++) {
    await using home = await helmHome(undefined);
    assert.equal((await lstat(home.path)).mode & 0o777, 0o700);
    await writeFile(join(home.path, 'index.yaml'), '');
    paths.push(home.path);
  }
  assert.notEqual(paths[0], paths[1]);
  for (const path of paths) await assert.rejects(lstat(path), /ENOENT/);
});

test('a given directory keeps what is in it', async () => {
  await using place = await privateDirectory('home');
  for (let run = 0; run < 2; run++) {
    await using home = await helmHome(join(place.path, 'below'));
    assert.equal((await lstat(home.path)).mode & 0o777, 0o700);
    await writeFile(join(home.path, `${run}`), '');
  }
  assert.deepEqual(await readdir(join(place.path, 'below/kolla-operator')), ['0', '1']);
});

test('a directory that another user has prepared is refused', { skip: cannotGive ?? false }, async () => {
  await using place = await privateDirectory('home');
  await mkdir(join(place.path, 'kolla-operator'), { mode: 0o700 });
  await chown(join(place.path, 'kolla-operator'), 42_425, 42_425);
  await assert.rejects(
    helmHome(place.path),
    /kolla-operator belongs to uid 42425, and this runs as uid .* --directory/,
  );
});

test('a directory that others can write to, a link and a file are refused', async () => {
  await using place = await privateDirectory('home');
  const path = (name: string) => join(place.path, name, 'kolla-operator');
  for (const name of ['open', 'link', 'dangling', 'file']) await mkdir(join(place.path, name));
  await mkdir(path('open'));
  await chmod(path('open'), 0o770);
  await symlink(join(place.path, 'open'), path('link'));
  await symlink('/nonexistent', path('dangling'));
  await writeFile(path('file'), '');
  await assert.rejects(helmHome(join(place.path, 'open')), /can be written by other users/);
  for (const name of ['link', 'dangling', 'file'])
    await assert.rejects(helmHome(join(place.path, name)), /is no directory/, name);
});
