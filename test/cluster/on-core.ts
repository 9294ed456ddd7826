/** Names in kolla-core, for test files that run on both engines. */
import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { bundledHelpers } from '../support/bundled.ts';
import { coreBinary } from './core-binary.ts';

/** kolla-core of the current sources, with kolla-pod next to it, run by node itself; until this process exits. */
export async function builtCore() {
  const { path } = await privateDirectory('on-core', inMemory());
  // Instead of a hook of node:test, because `make soak` runs without node:test.
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  const pod = `#!/bin/sh\nexec '${process.execPath}' '${await bundledHelpers()}' "$@"\n`;
  await writeFile(join(path, 'kolla-pod'), pod, { mode: 0o755 });
  return { ...(await coreBinary(path)), directory: path };
}
