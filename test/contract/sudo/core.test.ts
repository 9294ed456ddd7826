/** Runs the cases of sudo with kolla-core. */
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { privateDirectory } from '../../../tools/directory.ts';
import { canBuildCore, coreBinary, isSanitized } from '../../cluster/core-binary.ts';
import { testSudo } from './cases.ts';

/** The limit in KiB that Cinder sets for qemu-img through oslo.concurrency's prlimit. */
const CINDERS_ADDRESS_SPACE = 1 << 20;

const missing = await canBuildCore();
const directory = await privateDirectory('core');
// Accessible for the cases that run as another user.
await chmod(directory.path, 0o755);
after(async () => await directory[Symbol.asyncDispose]());
const { binary, names } = missing === undefined ? await coreBinary(directory.path) : { binary: '', names: '' };

await testSudo({
  line: `-a sudo '${join(names, 'sudo')}'`,
  directories: [directory.path],
  missing,
  raised: [binary],
  // A sanitizer maps more memory.
  ...(isSanitized ? {} : { addressSpace: CINDERS_ADDRESS_SPACE }),
});
