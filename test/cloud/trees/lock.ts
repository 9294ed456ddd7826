/**
 * `node test/cloud/trees/lock.ts RELEASE CONSTRAINTS`: locks a release, every file by its hash.
 *
 *   releases/RELEASE.in, and upper-constraints.txt of OpenStack's requirements repository at that release
 *     -> uv, with Debian's Python -> releases/RELEASE.txt
 *
 * A new release is a new RELEASE.in.
 */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { debianTree, pythonOf } from './debian.ts';
import { RELEASES } from './release.ts';
import { runUv } from './uv.ts';

const [release, constraints] = process.argv.slice(2);
if (release === undefined || constraints === undefined)
  throw new Error('node test/cloud/trees/lock.ts RELEASE CONSTRAINTS');
const version = (await pythonOf(await debianTree())).replace('python', '');
const target = ['--python-version', version, '--python-platform', 'x86_64-manylinux_2_28'];
const form = ['--quiet', '--generate-hashes', '--no-annotate', '--no-header'];
const binds = [
  { from: join(RELEASES, `${release}.in`), to: '/build/release.in' },
  { from: resolve(constraints), to: '/build/upper-constraints.txt' },
];
const from = ['--constraints', '/build/upper-constraints.txt', '/build/release.in'];
await writeFile(join(RELEASES, `${release}.txt`), await runUv(['pip', 'compile', ...form, ...target, ...from], binds));
