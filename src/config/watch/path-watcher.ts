import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FSWatcher } from 'chokidar';
import { messageOf } from '../../core/errors.ts';
import { isWithin } from '../../fs/within.ts';

/** Tells of changes at paths, as far as the kernel tells us; what it does not tell, a poll must find. */
export interface PathWatcher extends AsyncDisposable {
  /** Watches these instead of what it watched. Resolves when they are watched, or can't be. */
  watch(paths: readonly string[]): Promise<void>;
}

/** How long a first look at the directories may take; a network file system that hangs must not hold the poll up. */
const READY_MS = 5000;
/** Where the kubelet keeps a volume's content: `..data` is the link to it, which is renamed over at each change. */
const DATA_LINK = '..data';

/**
 * @param onChange rung at each event, several for one change
 * @param onTrouble the watch is incomplete: no watches are left (ENOSPC), a directory can't be read
 */
export function pathWatcher(onChange: () => void, onTrouble: (reason: string) => void): PathWatcher {
  let watcher: FSWatcher | undefined;
  const end = async () => {
    await watcher?.close();
    watcher = undefined;
  };
  return {
    async watch(paths) {
      // Heavy, and of all commands only this one needs it.
      const { watch } = await import('chokidar');
      await end();
      const places = await Promise.all(paths.map((path) => placesOf(resolve(path))));
      const wanted = [...new Set(places.flat().flatMap((path) => [path, ...dataLinksOf(path)]))];
      // From the directory above, so that the deletion of what is watched and its coming again are seen too.
      const roots = [...new Set(wanted.map((path) => dirname(path)))];
      watcher = watch(roots, {
        ignored: (path) => !isOurs(path, wanted),
        followSymlinks: false,
        ignoreInitial: true,
        atomic: false,
      });
      watcher.on('all', onChange);
      // chokidar drops events that come within 50 ms of one another, and with them, in rare cases, the last.
      watcher.on('raw', (_, name, details) => {
        const { watchedPath = '' } = details as { watchedPath?: string };
        if (wanted.some((path) => isWithin(path, watchedPath) || path === join(watchedPath, name))) onChange();
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

/** A limit is the same for every path, and said as one. */
function reasonOf(error: unknown): string {
  return LIMITS[(error as NodeJS.ErrnoException).code ?? ''] ?? messageOf(error);
}

/** The path, and where it leads if it is a link: chokidar, told to follow no links, would not look there. */
async function placesOf(path: string): Promise<string[]> {
  const real = await realpath(path).catch(() => path);
  // Where a ConfigMap's own link leads is gone with the next version.
  return real === path || isInternal(real) ? [path] : [path, real];
}

/** The `..data` of the volumes that a path lies in: a source such as /etc/extra/a.conf is a link through it. */
function dataLinksOf(path: string): string[] {
  if (path === '/') return [];
  const link = join(dirname(path), DATA_LINK);
  return [...(existsSync(link) ? [link] : []), ...dataLinksOf(dirname(path))];
}

function isOurs(path: string, wanted: readonly string[]): boolean {
  return wanted.some((one) => isWithin(path, one) || (isWithin(one, path) && !isInternal(path.slice(one.length))));
}

/** What the kubelet writes before it renames the link is not there yet for anybody. */
function isInternal(rest: string): boolean {
  return rest.split('/').some((name) => name.startsWith('..') && name !== DATA_LINK);
}
