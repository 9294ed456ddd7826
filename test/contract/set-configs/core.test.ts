/** Runs the cases of drop-in.test.ts with the command of kolla-core and a temporary root as `/`. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { inMemory, privateDirectory } from '../../../tools/directory.ts';
import { run } from '../../../tools/process.ts';
import { canBuildCore, coreBinary, isSanitized } from '../../cluster/core-binary.ts';
import { testAsKolla } from './as-kolla.ts';
import { byCore, coreWithin } from './ours.ts';
import { testRefused } from './refused.ts';
import { testWords } from './words.ts';

const MIB = 2 ** 20;
const cannotBuild = await canBuildCore();
const cannotChroot = cannotBuild ?? (process.geteuid?.() === 0 ? undefined : 'needs root, for chroot');
const directory = await privateDirectory('core', inMemory());
after(async () => await directory[Symbol.asyncDispose]());
const { binary, names } = cannotBuild === undefined ? await coreBinary(directory.path) : { binary: '', names: '' };

await testAsKolla(byCore(binary), cannotChroot);
testWords(byCore(binary), cannotChroot);
await testRefused(async (within) => coreWithin(binary, within), cannotChroot);

test(
  'the file is static and at most 5 MiB, 2.6 MiB with gzip',
  { skip: cannotBuild ?? (isSanitized && 'built otherwise') },
  async () => {
    const bytes = await readFile(binary);
    assert.ok(bytes.length <= 5 * MIB);
    assert.ok(gzipSync(bytes).length <= 2.6 * MIB);
    const { stdout } = await run('readelf', ['--program-headers', '--dynamic', binary]);
    assert.doesNotMatch(stdout, /INTERP|NEEDED/);
  },
);

test(
  'through sudo kolla-core runs supported commands, and rejects unknown ones',
  { skip: cannotChroot ?? false },
  async () => {
    const sudo = join(names, 'sudo');
    const { code, stdout } = await run(sudo, ['-u', 'nobody', 'id', '-u']);
    assert.deepEqual([code, stdout], [0, '65534\n']);
    const unknown = await run(sudo, ['-u', 'no-such-user', 'id']);
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /^sudo: unknown user no-such-user\n$/);
  },
);
