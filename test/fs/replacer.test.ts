import assert from 'node:assert/strict';
import { lutimesSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Replacer } from '../../src/fs/replacer.ts';
import { privateFolder } from '../../tools/folder.ts';

const nobody = { uid: -1, gid: -1 };

test('a file and a link take the place of others, and nothing else is left', async () => {
  await using folder = await privateFolder('replacer');
  const [a, b] = [join(folder.path, 'a'), join(folder.path, 'b')];
  await writeFile(a, 'old');
  await symlink('old', b);
  const replacer = new Replacer();
  replacer.replace(a, { content: Buffer.from('new'), mode: 0o600, ...nobody });
  replacer.link(b, { target: 'new', ...nobody });
  replacer.sync();
  assert.equal(await readFile(a, 'utf8'), 'new');
  assert.equal(await readlink(b), 'new');
  assert.deepEqual((await readdir(folder.path)).toSorted(), ['a', 'b']);
});

test('a link takes the place of a file, and a link that a dead run left goes', async () => {
  await using folder = await privateFolder('replacer');
  const [dead, used] = [join(folder.path, '.a.kolla-0a0a0a'), join(folder.path, '.a.kolla-0b0b0b')];
  await writeFile(join(folder.path, 'a'), 'file');
  for (const path of [dead, used]) await symlink('x', path);
  const beforeUs = (performance.timeOrigin - 1) / 1000;
  lutimesSync(dead, beforeUs, beforeUs);
  new Replacer().link(join(folder.path, 'a'), { target: 'to', ...nobody });
  assert.equal(await readlink(join(folder.path, 'a')), 'to');
  assert.deepEqual((await readdir(folder.path)).toSorted(), ['.a.kolla-0b0b0b', 'a']);
});

test('what cannot be renamed leaves no temporary', async () => {
  await using folder = await privateFolder('replacer');
  await mkdir(join(folder.path, 'a'));
  const replacer = new Replacer();
  const put = () => replacer.link(join(folder.path, 'a'), { target: 'to', ...nobody });
  assert.throws(put, { code: 'EISDIR' });
  assert.deepEqual(await readdir(folder.path), ['a']);
});
