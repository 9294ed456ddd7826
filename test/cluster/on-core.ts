/** Names in kolla-core, for test files that run on both engines. */
import { rmSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { bundledHelpers } from '../support/bundled.ts';
import { coreBinary } from './core-binary.ts';

/**
 * kolla-core of the current sources, until this process exits. With kolla-pod next to it, run by node itself, unless
 * KOLLA_ON_CORE is `alone`.
 */
export async function builtCore() {
  const { path } = await privateDirectory('on-core', inMemory());
  // Instead of a hook of node:test, because `make soak` runs without node:test.
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  const pod = `#!/bin/sh\nexec '${process.execPath}' '${await bundledHelpers()}' "$@"\n`;
  if (process.env['KOLLA_ON_CORE'] !== 'alone') await writeFile(join(path, 'kolla-pod'), pod, { mode: 0o755 });
  const core = await coreBinary(path);
  // As which kolla-pod executes it.
  await symlink('../kolla-core', join(core.names, 'kolla-db-sync'));
  return { ...core, directory: path };
}
