import type { Log } from '../../core/log.ts';
import { Board } from '../board.ts';
import { SUMMARY_MS, type Told } from '../tell.ts';

/**
 * The lines that kubernetes-entrypoint's users look for. Its warning came each 2 s and dependency; here it comes when
 * something has changed, and with its duration each 30 s.
 * @param now milliseconds on a clock that never goes back
 */
export function toldAsEntrypoint(log: Log, now: () => number): Told {
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
