import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { isKey } from './key.ts';
import type { Ring } from './ring.ts';

const NUMBER = /^(?:0|[1-9]\d{0,8})$/;

/**
 * The keys of a folder, as keystone-manage or a mounted Secret has them.
 * @param option that named it, for messages
 * @throws ConfigError for a folder that can't be read or has no keys, and for a file that is none; never with its text
 */
export async function ringOfFolder(folder: string, option: string, now: number): Promise<Ring> {
  try {
    const keys = new Map<number, string>();
    for (const name of (await readdir(folder)).filter((each) => NUMBER.test(each))) {
      const path = join(folder, name);
      if (!(await stat(path)).isFile()) continue;
      const text = await readFile(path, 'latin1');
      // As the services do.
      if (text.trim() === '') continue;
      if (!isKey(text)) throw new ConfigError(`${path}, which ${option} names, is no Fernet key`);
      keys.set(Number(name), text);
    }
    if (keys.size === 0) throw new ConfigError(`${folder}, which ${option} names, holds no keys`);
    return { keys, promoted: new Map(), changedAt: now };
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(`cannot read ${folder}, which ${option} names: ${messageOf(cause)}`, { cause });
  }
}
