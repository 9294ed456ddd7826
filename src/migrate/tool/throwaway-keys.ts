import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, messageOf } from '../../core/errors.ts';

const KEY_BYTES = 32;

/**
 * A directory of Fernet keys for a command that requires one but encrypts nothing: the real keys may not be mounted yet
 * if a Job has just created them.
 * @throws ConfigError if the directory cannot be written
 */
export async function throwawayKeys(): Promise<{ readonly path: string } & AsyncDisposable> {
  try {
    const path = await mkdtemp(join(tmpdir(), 'kolla-pod-keys-'));
    for (const name of ['0', '1']) {
      // The key in the format of Python's urlsafe_b64encode().
      await writeFile(join(path, name), `${randomBytes(KEY_BYTES).toString('base64url')}=`, { mode: 0o600 });
    }
    return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
  } catch (cause) {
    throw new ConfigError(
      `cannot write temporary keys for a command: ${messageOf(cause)}; mount an emptyDir at ${tmpdir()}`,
      {
        cause,
      },
    );
  }
}
