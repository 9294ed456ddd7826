/** The cases of kolla-start.test.ts by kolla-core. */
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { privateFolder } from '../../../tools/folder.ts';
import { canBuildCore, coreBinary } from '../../cluster/core-binary.ts';
import { testAsKolla } from './as-kolla.ts';

const missing = await canBuildCore();
const folder = await privateFolder('core');
// For the cases that run as another user.
await chmod(folder.path, 0o755);
after(async () => await folder[Symbol.asyncDispose]());
const { names } = missing === undefined ? await coreBinary(folder.path) : { names: '' };

await testAsKolla({ line: `'${join(names, 'kolla_start')}'`, folders: [folder.path], missing, handsOn: true });
