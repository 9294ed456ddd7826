import assert from 'node:assert/strict';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

test('where npm has no Node for the system, each make says so, not only the first', async () => {
  await using directory = await privateDirectory('make');
  await copyFile(join(ROOT, 'Makefile'), join(directory.path, 'Makefile'));
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) await writeFile(join(directory.path, name), '');
  const bin = join(directory.path, 'bin');
  await mkdir(bin);
  const npm = '#!/bin/sh\nmkdir -p node_modules && touch node_modules/.package-lock.json\n';
  await writeFile(join(bin, 'npm'), npm, { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env['PATH']}` };
  for (let time = 0; time < 2; time++) {
    const { code, stderr } = await run('make', ['docs'], { cwd: directory.path, env });
    assert.equal(code, 2);
    // npm itself is silent for most of a minute.
    assert.match(stderr, /^make: installing Node 24 [^]*npm has no Node 24 for this system/);
  }
});
