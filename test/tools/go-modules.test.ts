import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkToolchain } from '../../tools/go-modules.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';

const { code, stdout } = await run('go', ['env', 'GOROOT', 'GOVERSION']).catch(() => ({ code: 1, stdout: '' }));
const [root = '', version = ''] = stdout.split('\n');

test('a program that another version of Go has linked is rejected', { skip: code !== 0 && 'no Go here' }, async () => {
  const program = join(root, 'bin/gofmt');
  await checkToolchain(program);
  await using directory = await privateDirectory('go');
  const other = join(directory.path, 'gofmt');
  const bytes = await readFile(program, 'latin1');
  await writeFile(other, bytes.replaceAll(version, version.replace(/.$/, 'x')), 'latin1');
  await assert.rejects(checkToolchain(other), {
    message: `${other} was built by ${version.replace(/.$/, 'x')}, and Go here is ${version}: remove ${directory.path}`,
  });
});
