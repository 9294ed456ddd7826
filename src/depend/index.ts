/**
 * Waiting for what a container needs before it starts.
 *
 *   text -> grammar -> dependency -> waiter (one file a kind, all at once) -> board (every change is said once, all that is
 *   open each 30 s) -> verdict
 *
 * Met is when all are met. The first that never will be (a failed Job, no permission) ends the wait with its own
 * error; the deadline (75) names what is open, what was last seen of it, and the command to run next; SIGTERM ends it
 * at once. A dependency that can't be reached is no error: that is what waiting is for.
 */
import { formatDuration } from '../cli/duration.ts';
import { DeadlineError } from '../cli/errors.ts';
import type { Log } from '../cli/log.ts';
import { Board } from './board.ts';
import type { Dependency } from './grammar.ts';
import { http } from './kinds/http.ts';
import { job } from './kinds/job.ts';
import { tcp } from './kinds/tcp.ts';
import type { Effects, WaitOptions, Waiter } from './waiter.ts';

export { parseDependency, type Dependency } from './grammar.ts';
export type { WaitOptions } from './waiter.ts';

const SUMMARY_MS = 30_000;

/**
 * Resolves when every dependency is met. Rejects with DeadlineError after `timeoutMs`, with the KollaError of the first
 * that never will be, and with the signal's reason.
 */
export async function waitForAll(
  dependencies: readonly Dependency[],
  options: WaitOptions & { readonly timeoutMs: number },
  { signal, log, kube }: { readonly signal: AbortSignal; readonly log: Log; readonly kube: Effects['kube'] },
): Promise<void> {
  const board = new Board(log, () => performance.now());
  const effects = { kube, warn: once(log) };
  const waiters = dependencies.map((dependency) => waiterFor(dependency, options, effects));
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const hopeless = new AbortController();
  const stop = AbortSignal.any([signal, deadline, hopeless.signal]);
  const summary = setInterval(() => board.summarize(), SUMMARY_MS);
  try {
    await Promise.allSettled(
      waiters.map(async (waiter) => {
        board.begin(waiter.text);
        try {
          board.met(waiter.text, await waiter.wait((state) => board.change(waiter.text, state), stop));
        } catch (error) {
          if (!stop.aborted) hopeless.abort(error);
        }
      }),
    );
  } finally {
    clearInterval(summary);
  }
  signal.throwIfAborted();
  hopeless.signal.throwIfAborted();
  if (board.open.length > 0) throw expired(options.timeoutMs, waiters, board);
}

function waiterFor(dependency: Dependency, options: WaitOptions, effects: Effects): Waiter {
  switch (dependency.kind) {
    case 'job':
      return job(dependency, options, effects);
    case 'tcp':
      return tcp(dependency, options, effects);
    case 'http':
      return http(dependency, options, effects);
  }
}

function expired(timeoutMs: number, waiters: readonly Waiter[], board: Board): DeadlineError {
  const open = waiters.filter(({ text }) => board.open.includes(text));
  const each = open.map((waiter) => `${waiter.text} (${board.stateOf(waiter.text)}; next: ${waiter.hint()})`);
  return new DeadlineError(`not met in ${formatDuration(timeoutMs)}: ${each.join(', ')}`);
}

/** Several waiters find out the same. */
function once(log: Log): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message)) return;
    said.add(message);
    log.warn(message);
  };
}
