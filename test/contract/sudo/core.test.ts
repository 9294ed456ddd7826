/** The cases of sudo by kolla-core. */
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { privateDirectory } from '../../../tools/directory.ts';
import { canBuildCore, coreBinary, isSanitized } from '../../cluster/core-binary.ts';
import { testSudo } from './cases.ts';

/** Cinder's limit for qemu-img by oslo.concurrency's prlimit, in KiB. */
const CINDERS_ADDRESS_SPACE = 1 << 20;

const missing = await canBuildCore();
const directory = await privateDirectory('core');
// For cases that run as another user.
await chmod(directory.path, 0o755);
after(async () => await directory[Symbol.asyncDispose]());
const { binary, names } = missing === undefined ? await coreBinary(directory.path) : { binary: '', names: '' };

await testSudo({
  line: `-a sudo '${join(names, 'sudo')}'`,
  directories: [directory.path],
  missing,
  raised: [binary],
  // A sanitizer's memory map is larger.
  ...(isSanitized ? {} : { addressSpace: CINDERS_ADDRESS_SPACE }),
});
