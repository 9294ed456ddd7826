import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FSWatcher } from 'chokidar';
import { codeOf, messageOf } from '../../core/errors.ts';
import { isWithin } from '../../fs/within.ts';

/** Reports changes at paths, as far as the kernel does; polling must find the rest. */
export interface PathWatcher extends AsyncDisposable {
  /**
   * Watches these paths instead of the previous ones. Resolves once they are watched or it is known that they can't be.
   */
  watch(paths: readonly string[]): Promise<void>;
}

/** Timeout of the initial scan; a hanging network file system must not block polling. */
const READY_MS = 5000;
/** The kubelet's link to a volume's content, replaced by a rename on each update. */
const DATA_LINK = '..data';

/**
 * @param onChange called for each event, several per change
 * @param onTrouble called if the watch is incomplete: no inotify watches are left (ENOSPC), a directory is unreadable
 */
export function pathWatcher(onChange: () => void, onTrouble: (reason: string) => void): PathWatcher {
  let watcher: FSWatcher | undefined;
  const end = async () => {
    await watcher?.close();
    watcher = undefined;
  };
  return {
    async watch(paths) {
      // Loaded lazily: the package is large, and only this command needs it.
      const { watch } = await import('chokidar');
      await end();
      const places = await Promise.all(paths.map((path) => placesOf(resolve(path))));
      const wanted = [...new Set(places.flat().flatMap((path) => [path, ...dataLinksOf(path)]))];
      // The parent directory is watched, so that deletion and re-creation are noticed too.
      const roots = [...new Set(wanted.map((path) => dirname(path)))];
      watcher = watch(roots, {
        ignored: (path) => !isOurs(path, wanted),
        followSymlinks: false,
        ignoreInitial: true,
        atomic: false,
      });
      watcher.on('all', onChange);
      // chokidar drops events within 50 ms of one another, in rare cases including the last.
      watcher.on('raw', (_, name, details) => {
        const { watchedPath = '' } = details as { watchedPath?: string };
        if (wanted.some((path) => isWithin(path, watchedPath) || path === join(watchedPath, name ?? ''))) onChange();
      });
      watcher.on('error', (error) => onTrouble(reasonOf(error)));
      const ready = new Promise<void>((resolveReady) => watcher?.once('ready', resolveReady));
      await Promise.race([ready, sleep(READY_MS, undefined, { ref: false })]);
    },
    [Symbol.asyncDispose]: end,
  };
}

const LIMITS: Readonly<Record<string, string>> = {
  ENOSPC: 'no watch is left on this node (fs.inotify.max_user_watches)',
  EMFILE: 'no inotify instance is left on this node (fs.inotify.max_user_instances)',
};

/** The reason to log. For a limit, which affects every path, it names no path and is therefore logged once. */
function reasonOf(error: unknown): string {
  return LIMITS[codeOf(error) ?? ''] ?? messageOf(error);
}

/** The path, and its target if it is a link: chokidar, configured not to follow links, would not watch it. */
async function placesOf(path: string): Promise<string[]> {
  const real = await realpath(path).catch(() => path);
  // The target of a ConfigMap's link is removed with the next version.
  return real === path || isInternal(real) ? [path] : [path, real];
}

/** The `..data` links of a path's volumes: a source such as /etc/extra/a.conf is a link through one. */
function dataLinksOf(path: string): string[] {
  if (path === '/') return [];
  const link = join(dirname(path), DATA_LINK);
  return [...(existsSync(link) ? [link] : []), ...dataLinksOf(dirname(path))];
}

function isOurs(path: string, wanted: readonly string[]): boolean {
  return wanted.some((one) => isWithin(path, one) || (isWithin(one, path) && !isInternal(path.slice(one.length))));
}

/** Whether the path is in one of the kubelet's internal directories, whose content is visible only through `..data`. */
function isInternal(rest: string): boolean {
  return rest.split('/').some((name) => name.startsWith('..') && name !== DATA_LINK);
}
