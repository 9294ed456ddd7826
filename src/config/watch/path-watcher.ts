import { watch, type FSWatcher } from 'node:fs';
import { basename, resolve } from 'node:path';
import { codeOf, messageOf } from '../../core/errors.ts';
import { followAt } from '../../fs/access.ts';
import { directoriesOf, isWanted, type WatchedDirectory } from './directories.ts';

/** Reports changes at paths, as far as the kernel does; polling must find the rest. */
export interface PathWatcher extends Disposable {
  /**
   * Watches these paths instead of the previous ones, as they are now. Returns false if all of it is watched already.
   * @param isAgain whether it is set up anew in any case
   */
  watch(paths: readonly string[], isAgain: boolean): boolean;
}

/**
 * @param onChange called for each event, several per change
 * @param onTrouble called if the watch is incomplete: no inotify watches are left (ENOSPC), a directory is unreadable
 */
export function pathWatcher(onChange: () => void, onTrouble: (reason: string) => void): PathWatcher {
  let watchers: FSWatcher[] = [];
  let watched = '';
  const failed = (error: unknown) => onTrouble(reasonOf(error));
  const begin = (directory: WatchedDirectory) => {
    const watcher = watch(directory.path, (event, name) => {
      // The directory itself was removed, moved or unmounted: another one at its path is not watched.
      const isOver = event === 'rename' && name === basename(directory.path);
      if (isOver) watched = '';
      if (isOver || name === null || isWanted(directory, name)) onChange();
    });
    watchers.push(watcher.on('error', failed));
  };
  const end = () => {
    for (const watcher of watchers) watcher.close();
    watchers = [];
  };
  return {
    watch(paths, isAgain) {
      const directories = directoriesOf(paths.map((path) => resolve(path)));
      const wanted = directories.map(identityOf).join('\0');
      if (wanted === watched && !isAgain) return false;
      end();
      watched = wanted;
      for (const directory of directories) {
        try {
          begin(directory);
        } catch (error) {
          // One that was removed meanwhile gives other directories next time.
          if (codeOf(error) !== 'ENOENT') failed(error);
        }
      }
      return true;
    },
    [Symbol.dispose]: end,
  };
}

/** Different for a directory that was re-created, or on which a volume was mounted. */
function identityOf({ path, names, isWhole }: WatchedDirectory): string {
  const found = followAt(path);
  return [path, found?.dev, found?.ino, isWhole, ...names].join('\0');
}

const LIMITS: Readonly<Record<string, string>> = {
  ENOSPC: 'no watch is left on this node (fs.inotify.max_user_watches)',
  EMFILE: 'no inotify instance is left on this node (fs.inotify.max_user_instances)',
};

/** The reason to log. For a limit, which affects every path, it names no path and is therefore logged once. */
function reasonOf(error: unknown): string {
  return LIMITS[codeOf(error) ?? ''] ?? messageOf(error);
}
