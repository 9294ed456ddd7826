/** Runs the cases of kolla-start.test.ts with kolla-core. */
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { privateDirectory } from '../../../tools/directory.ts';
import { canBuildCore, coreBinary } from '../../cluster/core-binary.ts';
import { testAsKolla } from './as-kolla.ts';

const missing = await canBuildCore();
const directory = await privateDirectory('core');
// Accessible for the cases that run as another user.
await chmod(directory.path, 0o755);
after(async () => await directory[Symbol.asyncDispose]());
const { names } = missing === undefined ? await coreBinary(directory.path) : { names: '' };

await testAsKolla({ line: `'${join(names, 'kolla_start')}'`, directories: [directory.path], missing, handsOn: true });
