import { readlink, stat } from 'node:fs/promises';
import { insideHint } from '../hint.ts';
import type { PathKind } from '../kind.ts';
import { retry } from '../retry.ts';
import { met, passedOver, pending, type Verdict } from '../verdict.ts';

/** A look at a file costs next to nothing, and not every file system tells of changes. */
export const LOOK_AGAIN = { minMs: 50, maxMs: 500 };

export const file: PathKind = {
  form: 'path',
  word: 'file',
  aliases: [],
  means: 'the file or folder is there (links are followed); with a `/` at its end it must be a folder',
  make: ({ path, isNegated }, { self }) => ({
    hint: () => insideHint(self, path),
    wait: (report, signal) => retry(() => look(path, isNegated), { isNegated, report, signal, backoff: LOOK_AGAIN }),
  }),
};

async function look(path: string, isNegated: boolean): Promise<Verdict> {
  try {
    const found = await stat(path);
    return met(found.isDirectory() ? 'is there, a folder' : 'is there');
  } catch (error) {
    return await absence(path, error as NodeJS.ErrnoException, isNegated);
  }
}

/**
 * What it means that a path can't be looked at: only some reasons say that nothing is there, which `!` waits for.
 * @param isNegated whether that is what shall be, and not what is still to come
 */
export async function absence(
  path: string,
  { code = '' }: NodeJS.ErrnoException,
  isNegated: boolean,
): Promise<Verdict> {
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return passedOver(`can't be looked at: ${code}`);
  const bare = path.replace(/\/+$/, '');
  const target = await readlink(bare).catch(() => undefined);
  if (code === 'ENOTDIR' && (await isThere(bare))) return pending('is there, but no folder');
  const absent = isNegated ? 'not there' : 'not there yet';
  return pending(target === undefined ? absent : `a link to ${target}, which is ${absent}`);
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
