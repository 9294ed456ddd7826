import { lstatSync } from 'node:fs';
import type { Step } from '../model.ts';

/** A file that a configuration has installed. */
export interface FileInPlace {
  /** Destination as written in config.json. */
  readonly dest: string;
  /** When it was installed, in ms since the epoch. */
  readonly sinceMs: number;
  /** The ConfigMap version of its content, if known. */
  readonly configMap: string | undefined;
}

/**
 * The files installed by these steps.
 * @param before the files of the previous version; unchanged files keep their time and ConfigMap version
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
    // The file's mtime may be preserved from the source; its ctime is the time of the rename.
    return [old ?? { dest, sinceMs: lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Date.now(), configMap }];
  });
}
