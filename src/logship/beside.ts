import type { Log } from '../core/log.ts';
import type { Pipeline } from './pipelines.ts';
import { logOpener } from './read/open-log.ts';
import { startReclaiming } from './reclaim/index.ts';
import type { Settings } from './settings.ts';
import type { Syslog } from './syslog/index.ts';
import type { SideState } from './view.ts';

/** What runs beside the pipelines: syslog into files before them, and disk reclaimed behind them. */
interface Beside extends AsyncDisposable {
  /** The pipelines are there: now it is known how far files are needed. */
  begin(pipelines: readonly Pipeline[]): void;
  /** Aborted after the signal, with its reason, once what came by syslog is in the files: they are then read to their end. */
  afterSyslog(signal: AbortSignal): AbortSignal;
  state(): SideState;
}

/**
 * @throws ConfigError or NotPermittedError for an address of syslog that can't be had; ConfigError where disk shall be given
 * back and there is no program for it
 */
export async function openBeside(settings: Settings, log: Log, now: () => number): Promise<Beside> {
  const { root, reclaim, parse } = settings;
  let pipelines: readonly Pipeline[] = [];
  const saved = () => pipelines.map((pipeline) => pipeline.saved());
  await using parts = new AsyncDisposableStack();
  const reclaiming = parts.use(
    startReclaiming({ ...reclaim, root, saved, log, open: logOpener({ patterns: settings.patterns, root }) }),
  );
  let syslog: Syslog | undefined;
  if (settings.syslog !== undefined) {
    // Lazy: few pods need it.
    const { openSyslog } = await import('./syslog/index.ts');
    const mayRotate = (path: string) => pipelines.length > 0 && pipelines.every((each) => !each.needsFormer(path));
    syslog = parts.use(await openSyslog({ at: settings.syslog, root, zone: parse.zone, mayRotate, log, now }));
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

/** The files are read to their end even when the socket could not be closed. */
async function closed(syslog: Syslog, log: Log): Promise<void> {
  try {
    await syslog[Symbol.asyncDispose]();
  } catch (error) {
    log.error(`syslog could not be closed: ${String(error)}`);
  }
}
