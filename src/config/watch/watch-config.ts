import { formatDuration } from '../../core/duration.ts';
import { followAt } from '../../fs/access.ts';
import { Bell } from './bell.ts';
import { fingerprintOf } from './fingerprint.ts';
import { Follower } from './follower.ts';
import { frozenFiles } from './frozen.ts';
import type { WatchOptions, WatchParts } from './parts.ts';
import { pathWatcher } from './path-watcher.ts';

/** Watches the configuration until the signal is aborted, and rejects with its reason. */
export async function watchConfig(options: WatchOptions, parts: WatchParts): Promise<never> {
  const { signal, log } = parts;
  const bell = new Bell();
  const warn = once((text) => log.warn(text));
  const after = formatDuration(options.pollMs);
  await using watcher = (parts.watcher ?? pathWatcher)(
    () => bell.ring(),
    (reason) => warn(`cannot watch all of the configuration: ${reason}; changes there are found after up to ${after}`),
  );
  const follower = new Follower(options, parts);
  let watched = '';
  const watch = async () => {
    const { paths } = follower;
    watched = placesOf(paths);
    await watcher.watch(paths);
    for (const path of await frozenFiles(paths))
      warn(
        `${path} is mounted itself: this container will not see a new version of it; mount the directory, without subPath`,
      );
  };
  const rewatch = async (isAgain: boolean) => {
    if (!isAgain && placesOf(follower.paths) === watched) return;
    await watch();
    // Ringing after the watch is set up covers changes made in between.
    bell.ring();
  };
  await watch();
  for (let isAgain = false; ;) {
    signal.throwIfAborted();
    const isWhole = await follower.turn();
    await rewatch(isAgain);
    if (!isWhole) bell.ring();
    isAgain = await nextChange(bell, follower, options, parts, rewatch);
  }
}

/** Different when a path is added, and when a directory is re-created: inotify's watch ended with the former one. */
function placesOf(paths: readonly string[]): string {
  return paths
    .map((path) => {
      const found = followAt(path);
      return `${path}\0${found?.isDirectory() === true ? `${found.dev}:${found.ino}:${found.birthtimeMs}` : ''}`;
    })
    .join('\0');
}

/** Logs each text once only. */
function once(say: (text: string) => void): (text: string) => void {
  const said = new Set<string>();
  return (text) => {
    if (!said.has(text)) say(text);
    said.add(text);
  };
}

/** Resolves when the content has changed. The value is true if no event announced the change. */
async function nextChange(
  bell: Bell,
  follower: Follower,
  { settleMs, pollMs }: WatchOptions,
  { signal, log }: WatchParts,
  rewatch: (isAgain: boolean) => Promise<void>,
): Promise<boolean> {
  for (;;) {
    const isRung = await bell.wait({ settleMs, idleMs: Math.min(pollMs, follower.retryMs), signal });
    await rewatch(false);
    if (follower.retryMs < Infinity) return false;
    if (fingerprintOf(follower.paths) === follower.fingerprint) {
      follower.nothingNew();
      continue;
    }
    if (!isRung) log.info('polling found a change without a watch event; restarting the watch');
    return !isRung;
  }
}
