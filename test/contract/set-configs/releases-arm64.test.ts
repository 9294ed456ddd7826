/** kolla-core for arm64, under qemu-user on another machine. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { targetFor } from '../../../build/images/arm64.ts';
import { messageOf } from '../../../src/core/errors.ts';
import { inMemory, privateDirectory } from '../../../tools/directory.ts';
import { coreBinary } from '../../cluster/core-binary.ts';
import { fileLimit } from '../../support/file-limit.ts';
import { byCore } from './ours.ts';
import { canRunReference } from './reference.ts';
import { releaseTests } from './releases.ts';

fileLimit(45);

const NAME = 'kolla_set_configs';
const directory = await privateDirectory('core-arm64', inMemory());
after(async () => await directory[Symbol.asyncDispose]());
const { byUs, lacking } = await build().catch((error: unknown) => ({
  byUs: byCore(''),
  lacking: `kolla-core for arm64 can't be built or run here: ${messageOf(error)}`,
}));

releaseTests(byUs, { skip: lacking ?? (await canRunReference()) ?? false });

async function build() {
  const { emulator } = await targetFor('arm64');
  const { binary } = await coreBinary(directory.path, [NAME], undefined, 'arm64');
  const [program] = emulator ?? [];
  // Roots are in memory, where a link is enough.
  const copied = program === undefined ? undefined : join(directory.path, 'emulator');
  if (program !== undefined && copied !== undefined) await copyFile(program, copied);
  return {
    byUs: byCore(binary, NAME, copied),
    lacking: process.geteuid?.() === 0 ? undefined : 'needs root, for chroot',
  };
}
