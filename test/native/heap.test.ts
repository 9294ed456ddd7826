/** native/heap.c by itself: blocks keep their content, and what is free goes back to the system. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { engine, FLAGS } from '../../build/core/engine.ts';
import { compile, compiler, TARGETS, type Architecture } from '../../build/core/toolchain.ts';
import { canBuildCore } from '../cluster/core-binary.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';

const skip = (await canBuildCore()) ?? false;
const ROOT = join(import.meta.dirname, '../..');
let directory: Directory;
let heap: string;

before(async () => {
  if (skip !== false) return;
  directory = await privateDirectory('heap');
  heap = join(directory.path, 'heap');
  const architecture = process.arch as Architecture;
  const { headers } = await engine(architecture);
  const files = [join(ROOT, 'native/heap.c'), join(ROOT, 'test/native/fixtures/heap.c')];
  const words = ['-target', TARGETS[architecture], ...FLAGS, '-static', '-isystem', headers, ...files, '-o', heap];
  await compile(await compiler(), words, directory.path);
});
after(async () => await directory?.[Symbol.asyncDispose]());

for (const [kind, what] of [
  ['random', 'random blocks keep their content, are hardly larger than asked for, and all memory is released'],
  ['beyond', 'more than the range holds is mapped'],
  ['limited', 'without the addresses, under a low RLIMIT_AS, all blocks are mapped'],
] as const)
  test(what, { skip }, async () => {
    const { code, stderr } = await run(heap, [kind]);
    assert.equal(code, 0, stderr);
  });
