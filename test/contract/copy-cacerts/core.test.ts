/** Runs the cases of copy-cacerts.test.ts with kolla-core. */
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { privateDirectory } from '../../../tools/directory.ts';
import { canBuildCore, coreBinary } from '../../cluster/core-binary.ts';
import { testAsKolla } from './as-kolla.ts';
import { testDebianStore } from './debian-store.ts';

const missing = await canBuildCore();
const directory = await privateDirectory('core');
// Accessible for the case that runs as another user.
await chmod(directory.path, 0o755);
after(async () => await directory[Symbol.asyncDispose]());
const { names } = missing === undefined ? await coreBinary(directory.path) : { names: '' };

const ours = { line: `'${join(names, 'kolla_copy_cacerts')}'`, directories: [directory.path], missing };
await testAsKolla(ours);
await testDebianStore(ours);
