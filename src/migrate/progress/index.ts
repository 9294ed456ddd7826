/**
 * Progress of a long step, for the user.
 *
 *   every 30 s: running time, last line of the tool, changed tables (through a separate session)
 *     -> one log line; on a terminal a line that updates in place every second
 *
 * Progress reports cannot fail the run: after a timeout of 3 s the line has no tables.
 */
import { stripVTControlCharacters } from 'node:util';
import { formatDuration } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import type { Live, LiveLine } from '../../cli/live.ts';
import type { Log } from '../../core/log.ts';
import { pause } from '../../core/backoff.ts';
import { changedText, type ChangedTables } from './changed-tables.ts';

export { readChangedTables, serverTime, type ChangedTables } from './changed-tables.ts';

export interface ProgressOptions {
  /** The program that is running: `keystone-manage`. */
  readonly what: string;
  /** The program's last line without secrets; undefined before the first line. */
  readonly lastLine: () => string | undefined;
  /** The tables that have changed since the start; undefined if unknown. The query has its own timeout. */
  readonly changed: (signal: AbortSignal) => Promise<ChangedTables | undefined>;
  readonly log: Log;
  readonly live?: Live | undefined;
  /** @default 30 s */
  readonly everyMs?: number | undefined;
}

const PROGRESS_MS = 30_000;
const REDRAW_MS = 1000;
const LINE_CHARACTERS = 200;

/** Reports progress until it is disposed. */
export function startProgress(options: ProgressOptions): AsyncDisposable {
  const { what, lastLine, log, live } = options;
  const began = performance.now();
  const over = new AbortController();
  let changed: ChangedTables | undefined;
  const parts = (): string[] => {
    const last = lastLine();
    const said = last === undefined ? 'no output yet' : `last line: ${shortened(last)}`;
    return [`${what} has been running for ${formatDuration(performance.now() - began)}`, said, ...changedText(changed)];
  };
  const draw = () => live?.show(() => parts().map((text, i): LiveLine => ({ text, style: i === 0 ? 'bold' : 'dim' })));
  draw();
  const redraw = live && setInterval(draw, REDRAW_MS);
  const ended = (async () => {
    try {
      for (;;) {
        await pause(options.everyMs ?? PROGRESS_MS, over.signal);
        changed = await options.changed(over.signal);
        over.signal.throwIfAborted();
        if (live === undefined) log.info(parts().join('; '));
        else draw();
      }
    } catch (error) {
      if (!over.signal.aborted) log.warn(`progress reporting stopped: ${messageOf(error)}`);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      over.abort();
      clearInterval(redraw);
      // The result is written as a log line.
      live?.show(() => []);
      live?.leave();
      await ended;
    },
  };
}

function shortened(line: string): string {
  const text = stripVTControlCharacters(line);
  return text.length <= LINE_CHARACTERS ? text : `${text.slice(0, LINE_CHARACTERS)}...`;
}
