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
  await using watcher = (parts.watcher ?? pathWatcher)(
    () => bell.ring(),
    (reason) => warn(`cannot watch all of the configuration: ${reason}; changes there are found after up to ${after}`),
  );
  const watch = async (paths: readonly string[]) => {
    await watcher.watch(paths);
    for (const path of await frozenFiles(paths))
      warn(
        `${path} is mounted itself: this container will not see a new version of it; mount the directory, without subPath`,
      );
  };
  const follower = new Follower(options, parts);
  await watch(follower.paths);
  for (let isAgain = false; ;) {
    signal.throwIfAborted();
    const before = follower.paths;
    const isWhole = await follower.turn();
    const isElsewhere = String(before) !== String(follower.paths);
    if (isAgain || isElsewhere) await watch(follower.paths);
    // Ringing after the watch is set up covers changes made in between.
    if (isAgain || isElsewhere || !isWhole) bell.ring();
    isAgain = await nextChange(bell, follower, options, parts);
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
): Promise<boolean> {
  for (;;) {
    const isRung = await bell.wait({ settleMs, idleMs: Math.min(pollMs, follower.retryMs), signal });
    if (follower.retryMs < Infinity) return false;
    if ((await fingerprintOf(follower.paths)) === follower.fingerprint) {
      await follower.nothingNew();
      continue;
    }
    if (!isRung) log.info('polling found a change without a watch event; restarting the watch');
    return !isRung;
  }
}
