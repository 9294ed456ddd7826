import { formatDuration } from '../../core/duration.ts';
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
  using watcher = (parts.watcher ?? pathWatcher)(
    () => bell.ring(),
    (reason) => warn(`cannot watch all of the configuration: ${reason}; changes there are found after up to ${after}`),
  );
  const follower = new Follower(options, parts);
  const watch = (isAgain: boolean): boolean => {
    if (!watcher.watch(follower.paths, isAgain)) return false;
    for (const path of frozenFiles(follower.paths))
      warn(
        `${path} is mounted itself: this container will not see a new version of it; mount the directory, without subPath`,
      );
    return true;
  };
  const rewatch = (isAgain: boolean) => {
    // Ringing after the watch is set up covers changes made in between.
    if (watch(isAgain)) bell.ring();
  };
  watch(false);
  for (let isAgain = false; ;) {
    signal.throwIfAborted();
    const isWhole = await follower.turn();
    rewatch(isAgain);
    if (!isWhole) bell.ring();
    isAgain = await nextChange(bell, follower, options, parts, rewatch);
  }
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
  rewatch: (isAgain: boolean) => void,
): Promise<boolean> {
  for (;;) {
    const isRung = await bell.wait({ settleMs, idleMs: Math.min(pollMs, follower.retryMs), signal });
    rewatch(false);
    if (follower.retryMs < Infinity) return false;
    if (fingerprintOf(follower.paths) === follower.fingerprint) {
      follower.nothingNew();
      continue;
    }
    if (!isRung) log.info('polling found a change without a watch event; restarting the watch');
    return !isRung;
  }
}
