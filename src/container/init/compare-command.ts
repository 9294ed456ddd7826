import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Difference, Show } from '../../config/check/index.ts';
import { mayWriteIn } from '../../fs/access.ts';
import { ROOTLESS_RUN_COMMAND, RUN_COMMAND } from '../start/index.ts';

const LINE_END = Buffer.from('\n');

/**
 * Whether the command that a container starts with is config.json's: that which kolla-init left in a volume, or
 * kolla_set_configs as root. Undefined when it is, or where neither leaves one.
 */
export async function compareCommand(root: string, wanted: string, show: Show): Promise<Difference | undefined> {
  for (const dest of [ROOTLESS_RUN_COMMAND, RUN_COMMAND]) {
    const path = join(root, dest);
    const subject = { path, entry: 'command' };
    const found = await readFile(path).catch((error: NodeJS.ErrnoException) => error);
    if (found instanceof Error) {
      if (found.code !== 'ENOENT') return { ...subject, is: `not to be read (${found.code})` };
      if (dest === ROOTLESS_RUN_COMMAND && (await isVolume(dirname(path)))) return { ...subject, is: 'missing' };
      continue;
    }
    if (found.equals(Buffer.from(wanted))) return undefined;
    // A line end for each side, so that neither is said to be without one.
    const sides = { actual: Buffer.concat([found, LINE_END]), wanted: Buffer.from(`${wanted}\n`), isPrivate: false };
    return { ...subject, content: await show({ dest, ...sides }) };
  }
  return undefined;
}

/** kolla-init leaves no command where it may not. */
async function isVolume(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  return found?.isDirectory() === true && (await mayWriteIn(folder));
}
