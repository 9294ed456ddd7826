/**
 * `node test/cloud/trees/lock.ts FILE.in CONSTRAINTS`: locks distributions, every file by its hash.
 *
 *   ../releases/RELEASE.in, and upper-constraints.txt of OpenStack's requirements repository at that release
 *     -> uv, with Debian's Python -> ../releases/RELEASE.txt
 *
 * A new release is a new RELEASE.in.
 */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { debianTree, pythonOf } from './debian.ts';
import { runUv } from './uv.ts';

const [file, constraints] = process.argv.slice(2);
if (!file?.endsWith('.in') || constraints === undefined)
  throw new Error('node test/cloud/trees/lock.ts FILE.in CONSTRAINTS');
const version = (await pythonOf(await debianTree())).replace('python', '');
const target = ['--python-version', version, '--python-platform', 'x86_64-manylinux_2_28'];
const form = ['--quiet', '--generate-hashes', '--no-annotate', '--no-header'];
const binds = [
  { from: resolve(file), to: '/build/names.in' },
  { from: resolve(constraints), to: '/build/upper-constraints.txt' },
];
const from = ['--constraints', '/build/upper-constraints.txt', '/build/names.in'];
await writeFile(file.replace(/in$/, 'txt'), await runUv(['pip', 'compile', ...form, ...target, ...from], binds));
