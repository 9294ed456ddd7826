/** Our globs and Node's, on the same paths and files. */
import assert from 'node:assert/strict';
import { globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, matchesGlob as nodes } from 'node:path';
import { test } from 'node:test';
import { matchesGlob, pathsMatching } from '../../src/fs/glob.ts';
import { privateDirectory } from '../../tools/directory.ts';

const ROWS: readonly (readonly [path: string, ...globs: string[]])[] = [
  ['/a/.b', '/a/*', '/a/.*', '/a/?b', '/a/[.]b', '/a/@(.b)', '/**/.b', '/a/**'],
  ['/a/b/c', '/a/*', '/a/**', '/**/c', '/a/**/c', '/a/*/c', '/*/*/*', '**/c', 'a/b/c', '/a/b', '/a/b/c/**'],
  ['/a/.x/c', '/a/**/c', '/a/.*/c', '/a/*/c'],
  ['a.log', '*.log', '*', '?.log', 'a.*', '*.*', '**', '!(b).log', '!(a).log', '[!a].log', '[^b].log', 'A.log'],
  ['.log', '*.log', '.*', '**/.log'],
  ['a.log.1', '*.log[.-][0-9]*', 'a.log.[0-9]', 'a.log.?', '*.log'],
  ['a.log-20261120', '*.log[.-][0-9]*', 'a.log-+([0-9])', 'a.log-*([0-9])', 'a.log-????'],
  ['nova-api.log', '{nova,glance}-*.log', 'nova-{api,compute}.log', '@(nova|glance)-api.log', '{nova-api}.log'],
  ['x10', 'x{1..12}', 'x{01..12}', 'x{2..9}', 'x{8..10..2}', 'x1[[:digit:]]', 'x1[[:alpha:]]'],
  ['x05', 'x{01..12}', 'x{1..12}'],
  ['xc', 'x{a..e}', 'x{e..a}', 'x{d..e}', 'x[a-d]', 'x[d-a]', 'x[[:upper:]]', 'x[[:lower:]]'],
  ['ab', 'a{,b}', 'a{}b', 'a{b,c', '+(a|b)', '*(a|b)', '?(a|b)', 'a?(b)', 'a!(b)', 'a@(b', '{a,b}{a,b}', 'a{b{c,d},b}'],
  ['a]', 'a[]]', 'a[!]]', 'a]'],
  ['a-', 'a[a-]', 'a[-a]', 'a[!-]'],
  ['a[b', 'a[b', 'a[[]b'],
  ['a b', 'a b', 'a[[:space:]]b', 'a?b'],
  ['a\nb', 'a*b', 'a?b'],
  ['(a)|b^$.', '(a)|b^$.', '*', '(a)*'],
  ['ä', '?', '[ä]', '*', '[[:alpha:]]'],
  ['a/b', 'a//b', 'a/b/', 'a\\/b', 'a/{b,c}', '*', '**/*', 'a*b'],
];

test('a path matches the same globs as with Node', () => {
  const found = ROWS.flatMap(([path, ...globs]) => globs.map((glob) => [path, glob, matchesGlob(path, glob)]));
  const expected = ROWS.flatMap(([path, ...globs]) => globs.map((glob) => [path, glob, nodes(path, glob)]));
  assert.deepEqual(found, expected);
  assert.ok(expected.filter(([, , is]) => is).length > 40 && expected.some(([, , is]) => is === false));
});

const GLOBS =
  '* */*.log */* ** **/*.log named/* named/** .h*/* {nova,glance}/*.log nova/[ab].log nova/[!a].log nova/.* no?a/a.log ' +
  '@(nova|glance)/* !(nova)/*.log nova/+([a-z]).log nova/*[.-][0-9]* a/**/d.log nova/ */ nova/inner/** n*/inner/b missing/* ' +
  'top.log nova/{a,.h}.log **/b/** nova//a.log nova/*(a|b).log nova/a.lo[[:alpha:]] nova/a.log/ nova/inner top.log/* **/d.log';

test('the same files are found as with Node, also through links to directories', async () => {
  await using directory = await privateDirectory('glob');
  const at = (path: string) => join(directory.path, path);
  for (const path of ['nova', 'glance', '.hidden', 'a', 'a/b', 'a/b/c']) mkdirSync(at(path));
  for (const path of [
    'nova/a.log',
    'nova/.h.log',
    'nova/b.log.1',
    'nova/[x].log',
    'nova/a b.log',
    'glance/x-access.log',
  ])
    writeFileSync(at(path), '');
  for (const path of ['.hidden/z.log', 'top.log', 'a/b/c/d.log']) writeFileSync(at(path), '');
  symlinkSync('nova', at('named'));
  symlinkSync('../a', at('nova/inner'));
  for (const glob of GLOBS.split(' '))
    assert.deepEqual(pathsMatching([at(glob)]).toSorted(), globSync([at(glob)]).toSorted(), glob);
  // Node follows links after `**` here, but not in `**/*.log`.
  assert.ok(!pathsMatching([at('**/*')]).includes(at('named/a.log')));
  assert.equal(pathsMatching([at('*/*.log'), at('nova/a.log')]).filter((path) => path === at('nova/a.log')).length, 1);
});
