import { lstatSync } from 'node:fs';
import type { Step } from '../model.ts';

/** A file installed by a configuration. */
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
 * @param before the state of the previous version: kept for unchanged files
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
    // Its mtime may be preserved from the source; the ctime is that of the rename.
    return [old ?? { dest, sinceMs: lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Date.now(), configMap }];
  });
}
