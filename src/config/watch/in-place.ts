import { lstatSync } from 'node:fs';
import type { Step } from '../model.ts';

/** One file that a configuration has put in place. */
export interface FileInPlace {
  /** As config.json means it. */
  readonly dest: string;
  /** When it was put there, in ms since 1970. */
  readonly sinceMs: number;
  /** The ConfigMap's version that brought its content, as far as we have seen. */
  readonly configMap: string | undefined;
}

/**
 * What these steps have put in place.
 * @param before what was known of the version before: of a file that stayed as it was, that holds
 */
export function filesInPlace(
  steps: readonly Step[],
  before: readonly FileInPlace[],
  configMap: string | undefined,
): readonly FileInPlace[] {
  const known = new Map(before.map((file) => [file.dest, file]));
  return steps.flatMap(({ kind, dest, path, isRight }) => {
    if (kind === 'directory') return [];
    const old = isRight ? known.get(dest) : undefined;
    // Its content may have a time of its own; the inode's is that of the rename.
    return [old ?? { dest, sinceMs: lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Date.now(), configMap }];
  });
}
