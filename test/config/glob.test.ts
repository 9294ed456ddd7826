import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { glob } from '../../src/config/tree/glob.ts';
import { privateDirectory } from '../../tools/directory.ts';

const NAMES = ['a.conf', 'b.conf', '.dot.conf', 'x[1]', '{a}', 'a+b', 'ä.conf'];
const CASES: [string, string[]][] = [
  ['*.conf', ['a.conf', 'b.conf', 'ä.conf']],
  ['.*.conf', ['.dot.conf']],
  ['?.conf', ['a.conf', 'b.conf', 'ä.conf']],
  ['[!b].conf', ['a.conf', 'ä.conf']],
  ['[a-b].conf', ['a.conf', 'b.conf']],
  ['x[[]1]', ['x[1]']],
  ['x[1]', []],
  ['{a,b}.conf', []],
  ['{*', ['{a}']],
  ['a+*', ['a+b']],
  ['*/inner', ['sub/inner']],
  ['**/inner', ['sub/inner']],
  ['*a*.c*f*', ['a.conf']],
  ['**o**', ['a.conf', 'b.conf', 'ä.conf']],
  ['*[!a]*n?', ['a.conf', 'b.conf', 'ä.conf']],
  ['none/*', []],
  ['a.conf/*', []],
  ['*/.', ['sub/.']],
  ['a*/.', []],
  ['./s[u]b/./inner', ['sub/inner']],
  ['*/', ['sub/']],
  ['a*/', []],
  ['*/deep//', ['sub/deep/']],
];

for (const [pattern, expected] of CASES) {
  test(`'${pattern}' matches what Python's glob matches`, async () => {
    await using directory = await privateDirectory('glob');
    for (const name of NAMES) await writeFile(join(directory.path, name), '');
    await mkdir(join(directory.path, 'sub/deep'), { recursive: true });
    await writeFile(join(directory.path, 'sub/inner'), '');
    await writeFile(join(directory.path, 'sub/deep/inner'), '');
    const found = glob(`${directory.path}/${pattern}`);
    assert.deepEqual(
      found,
      expected.map((name) => `${directory.path}/${name}`),
    );
  });
}

for (const start of ['', './'])
  test(`a pattern starting with ${start === '' ? 'a name' : start} is expanded in the working directory`, async () => {
    await using directory = await privateDirectory('glob');
    for (const name of ['a.conf', 'b.conf']) await writeFile(join(directory.path, name), '');
    const from = relative(process.cwd(), directory.path);
    const found = glob(`${start}${from}/*.conf`);
    assert.deepEqual(found, [`${from}/a.conf`, `${from}/b.conf`]);
  });

test('a pattern of thirty stars terminates on a name of 250 letters', async () => {
  await using directory = await privateDirectory('glob');
  await writeFile(join(directory.path, 'a'.repeat(250)), '');
  assert.deepEqual(glob(`${directory.path}/${'a*'.repeat(30)}b`), []);
  assert.equal(glob(`${directory.path}/${'a*'.repeat(30)}a`).length, 1);
});
