import { formatDuration } from '../core/duration.ts';
import type { Live } from '../cli/live.ts';
import type { Fields, Log } from '../core/log.ts';
import { Board, type Row, type Teller } from './board.ts';
import { tableLines } from './table.ts';

const SUMMARY_MS = 30_000;
const REDRAW_MS = 1000;
/** Maximum number in a summary; a list of hundreds would not be read. */
const SUMMARY_NAMES = 20;

/** A board with its reporter. It is disposed when the waits are over; the last output stays. */
export interface BoardReport extends Disposable {
  readonly board: Board;
}

/** The board for a terminal: a table that updates in place, and log lines at debug level. */
export function reportInTable(live: Live, log: Log, now: () => number): BoardReport {
  const line = tellLines((message, fields) => log.debug(message, fields));
  const draw = () => live.show((room) => tableLines(board.rows, now(), room));
  let soon: NodeJS.Immediate | undefined;
  // Hundreds may start or change together, and the table is then redrawn only once.
  const drawSoon = () => {
    soon ??= setImmediate(() => {
      soon = undefined;
      draw();
    });
  };
  const board = new Board(
    {
      begun(row) {
        line.begun(row);
        drawSoon();
      },
      changed(row) {
        line.changed(row);
        drawSoon();
      },
      met(row, afterMs) {
        line.met(row, afterMs);
        drawSoon();
      },
    },
    now,
  );
  const timer = setInterval(draw, REDRAW_MS);
  return {
    board,
    [Symbol.dispose]() {
      clearInterval(timer);
      clearImmediate(soon);
      draw();
      live.leave();
    },
  };
}

/** The board without a terminal: a line at the start and per change, and all pending dependencies every 30 s. */
export function reportInLines(log: Log, now: () => number): BoardReport {
  const board = new Board(
    tellLines((message, fields) => log.info(message, fields)),
    now,
  );
  const timer = setInterval(() => log.info(`still waiting for ${summaryOf(board)}`), SUMMARY_MS);
  return { board, [Symbol.dispose]: () => clearInterval(timer) };
}

function summaryOf(board: Board): string {
  const { open } = board;
  const named = open.slice(0, SUMMARY_NAMES).map(({ text }) => `${text} (${board.stateOf(text)})`);
  const more = open.length - named.length;
  return named.join(', ') + (more === 0 ? '' : ` and ${more} more`);
}

function tellLines(say: (message: string, fields: Fields) => void): Teller {
  return {
    begun: ({ text }: Row) => say(`waiting for ${text}`, { wait: text }),
    changed: ({ text, state }) => say(`${text}: ${state}`, { wait: text }),
    met: ({ text, state }, afterMs) => say(`${text}: ready after ${formatDuration(afterMs)}: ${state}`, { wait: text }),
  };
}

/**
 * The log lines that users of kubernetes-entrypoint expect. There, each dependency has a warning every 2 s; here it is
 * logged on changes, and with its duration every 30 s.
 * @param now milliseconds of a monotonic clock
 */
export function reportAsEntrypoint(log: Log, now: () => number): BoardReport {
  const failed = (text: string, state: string) =>
    log.warn(`Resolving dependency ${text} failed: ${state} .`, { wait: text });
  const board = new Board(
    {
      begun: ({ text }) => log.info(`Resolving ${text}`, { wait: text }),
      changed: ({ text, state }) => failed(text, state),
      met: ({ text }) => log.info(`Dependency ${text} is resolved.`, { wait: text }),
    },
    now,
  );
  const timer = setInterval(() => {
    for (const { text } of board.open) failed(text, board.stateOf(text));
  }, SUMMARY_MS);
  return { board, [Symbol.dispose]: () => clearInterval(timer) };
}
