import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { findProgram, isRefusal } from '../../../src/process/exec/index.ts';
import { privateDirectory, type Directory } from '../../../tools/directory.ts';
import { run } from '../../../tools/process.ts';

let directory: Directory;

const ELF_OF_ANOTHER_MACHINE = Buffer.alloc(64);
ELF_OF_ANOTHER_MACHINE.write('\x7fELF\x02\x01\x01', 'latin1');
ELF_OF_ANOTHER_MACHINE[18] = 0x16;

/** Files that a shell runs or rejects, each for another reason. */
const FILES: Readonly<Record<string, string | Buffer>> = {
  'a-script': '#! /bin/sh -e\nexit 0\n',
  'no-format': 'exit 0\n',
  empty: '',
  'a\nline': 'exit 0\n',
  'an unreadable interpreter': '#!/no/such/interpreter\n',
  'interpreter-is-data': '#!/etc/passwd\n',
  'interpreter-is-a-directory': '#!/etc\n',
  'only-a-shebang': '#!\nexit 0\n',
  'binary-data': 'a\0b\n',
  'another-machine': ELF_OF_ANOTHER_MACHINE,
};

before(async () => {
  directory = await privateDirectory('exec');
  for (const [name, content] of Object.entries(FILES)) {
    await writeFile(join(directory.path, name), content);
    await chmod(join(directory.path, name), 0o755);
  }
  await writeFile(join(directory.path, 'no-x-bit'), '#!/bin/sh\n');
  await mkdir(join(directory.path, 'a-directory'));
  await writeFile(join(directory.path, 'chain'), `#!${join(directory.path, 'a-script')}\n`);
  await chmod(join(directory.path, 'chain'), 0o755);
});
after(async () => await directory[Symbol.asyncDispose]());

/** The exit code of a shell that executes this file. */
async function shellCode(name: string, path: string): Promise<number> {
  return (await run('/bin/bash', ['--norc', '-c', 'exec "$0"', name], { env: { PATH: path } })).code;
}

for (const name of [...Object.keys(FILES), 'no-x-bit', 'a-directory', 'chain', 'missing', 'a-script/below']) {
  test(`a program given by path is found or rejected as in a shell: ${JSON.stringify(name)}`, async () => {
    const file = join(directory.path, name);
    const found = findProgram(file, '');
    assert.equal(isRefusal(found) ? found.code : 0, await shellCode(file, ''), JSON.stringify(found));
    if (isRefusal(found)) assert.ok(found.reason.startsWith(file) && !found.reason.includes('\n    at'), found.reason);
  });
}

test('on the PATH a directory and a file without x bit are skipped', async () => {
  const second = join(directory.path, 'second');
  await mkdir(second);
  for (const name of ['a-directory', 'no-x-bit']) {
    await writeFile(join(second, name), '#!/bin/sh\n', { mode: 0o755 });
    const found = findProgram(name, `${directory.path}:${second}`);
    assert.deepEqual(found, { file: join(second, name), words: [] });
    assert.equal(await shellCode(name, `${directory.path}:${second}`), 0);
  }
});

test('a file on the PATH without x bit exits with code 126, a missing one with 127', async () => {
  for (const [name, code] of [
    ['no-x-bit', 126],
    ['missing', 127],
    ['', 127],
  ] as const) {
    const found = findProgram(name, `/nonexistent:${directory.path}`);
    assert.ok(isRefusal(found) && found.code === code, JSON.stringify(found));
    assert.equal(await shellCode(name, `/nonexistent:${directory.path}`), code);
  }
});

test('a file without a format is a shell script', () => {
  const file = join(directory.path, 'no-format');
  assert.deepEqual(findProgram(file, ''), { file: '/bin/sh', words: [file] });
});
