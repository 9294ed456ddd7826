import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { ignoreAbsent } from '../../fs/absent.ts';
import { makeFolder } from '../../fs/folder.ts';
import { replaceOwn } from './own-file.ts';

/** Makes the state folder and reads, or makes once, the id of this source of logs. ConfigError where it can't write. */
export async function openState(folder: string, given: string | undefined): Promise<{ source: string }> {
  const file = join(folder, 'source-id');
  try {
    await makeFolder(folder, STATE_MODE);
    const source = given ?? (await readFile(file, 'utf8').catch(ignoreAbsent))?.trim() ?? '';
    if (source !== '') return { source };
    const made = randomBytes(9).toString('base64url');
    await replaceOwn(file, `${made}\n`);
    return { source: made };
  } catch (cause) {
    throw new ConfigError(
      `cannot keep state in ${folder}: ${messageOf(cause)}; give --state a folder that this user may write`,
      { cause },
    );
  }
}

/** Of the state folder: what lies there is ours alone. */
export const STATE_MODE = 0o700;
