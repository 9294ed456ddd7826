import type { Log } from '../core/log.ts';
import type { Pipeline } from './pipelines.ts';
import { logOpener } from './read/open-log.ts';
import { startReclaiming } from './reclaim/index.ts';
import type { Settings } from './settings.ts';
import type { Holes } from './state/holes.ts';
import type { Syslog } from './syslog/index.ts';
import type { SideState } from './report/view.ts';

/**
 * Background tasks next to the pipelines: syslog writes the files that they read, and reclaiming frees the disk of
 * lines they have shipped.
 */
interface Background extends AsyncDisposable {
  /** Called when the pipelines exist, because reclaiming depends on their progress. */
  begin(pipelines: readonly Pipeline[]): void;
  /**
   * Returns a signal that aborts after `signal` and with its reason, as soon as all received syslog messages are in the
   * files, which are then read to the end.
   */
  afterSyslog(signal: AbortSignal): AbortSignal;
  state(): SideState;
}

/**
 * @throws ConfigError or NotPermittedError if the syslog address cannot be bound; ConfigError if reclaiming is on and
 * its program is missing
 */
export async function openBackground(
  settings: Settings,
  {
    holes,
    log,
    now,
    signal: opening,
  }: { readonly holes: Holes; readonly log: Log; readonly now: () => number; readonly signal: AbortSignal },
): Promise<Background> {
  const { root, reclaim, parse } = settings;
  let pipelines: readonly Pipeline[] = [];
  const saved = () => pipelines.map((pipeline) => pipeline.saved());
  await using parts = new AsyncDisposableStack();
  const reclaiming = parts.use(
    startReclaiming({ ...reclaim, root, saved, holes, log, open: logOpener({ patterns: settings.patterns, root }) }),
  );
  let syslog: Syslog | undefined;
  if (settings.syslog !== undefined) {
    // Loaded lazily, because few Pods need it.
    const { openSyslog } = await import('./syslog/index.ts');
    const mayRotate = (path: string) => pipelines.length > 0 && pipelines.every((each) => !each.needsFormer(path));
    syslog = parts.use(
      await openSyslog({ at: settings.syslog, root, zone: parse.zone, mayRotate, log, now, signal: opening }),
    );
  }
  const open = parts.move();
  return {
    begin(begun) {
      pipelines = begun;
    },
    afterSyslog(signal) {
      if (syslog === undefined) return signal;
      const after = new AbortController();
      const stop = () => void closed(syslog, log).then(() => after.abort(signal.reason));
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
      return after.signal;
    },
    state: () => ({
      reclaimed: reclaiming?.bytes(),
      syslog: syslog && { received: syslog.received(), lost: syslog.lost(), dropped: syslog.dropped() },
    }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Only logs that closing the socket failed, because the files are read to the end even then. */
async function closed(syslog: Syslog, log: Log): Promise<void> {
  try {
    await syslog[Symbol.asyncDispose]();
  } catch (error) {
    log.error(`syslog could not be closed: ${String(error)}`);
  }
}
