import type { Context } from '../cli/command.ts';
import { defined } from '../core/defined.ts';
import { formatDuration } from '../core/duration.ts';
import { ExitCode } from '../core/errors.ts';
import { unhealthy, type Verdict, type Question } from './verdict.ts';

/**
 * Asks one question once, and says the answer: the reason on stderr when unhealthy, nothing otherwise.
 * @param timeoutMs after which it is unhealthy
 */
export async function ask(question: Question, timeoutMs: number, { signal, log }: Context): Promise<ExitCode> {
  const verdict = await answerOf(question, timeoutMs, signal);
  if (verdict.healthy) {
    log.debug(`${question.subject}: healthy`, defined({ detail: verdict.detail }));
    return ExitCode.ok;
  }
  log.error(`${question.subject}: ${verdict.reason}`);
  return ExitCode.no;
}

/**
 * The answer under a deadline, which a check that does not heed its signal can't outlive: it is unhealthy then.
 * @throws the signal's reason
 */
export async function answerOf(
  question: Pick<Question, 'ask'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Verdict> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const bounded = AbortSignal.any([signal, deadline]);
  let awaited: string | undefined;
  const late = () =>
    unhealthy(`no answer in ${formatDuration(timeoutMs)}${awaited === undefined ? '' : `: ${awaited}`}`);
  // Referenced, unlike the deadline's own: a check that waits for nothing that holds the process is late as well.
  const held = setTimeout(() => {}, timeoutMs + 1);
  try {
    const over = new Promise<Verdict>((resolve) => {
      bounded.addEventListener('abort', () => resolve(late()), { once: true });
    });
    const verdict = await Promise.race([question.ask(bounded, (what) => (awaited = what)), over]);
    signal.throwIfAborted();
    // What a check says of its own deadline is how it was interrupted, not why there was no answer.
    return deadline.aborted && !verdict.healthy ? late() : verdict;
  } finally {
    clearTimeout(held);
  }
}
