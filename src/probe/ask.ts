import type { Context } from '../cli/command.ts';
import { defined } from '../core/defined.ts';
import { formatDuration } from '../core/duration.ts';
import { ExitCode } from '../core/errors.ts';
import { unhealthy, type Verdict, type Question } from './verdict.ts';

/**
 * Runs one check once and reports the result: the reason on stderr if unhealthy, nothing otherwise.
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
 * The verdict within a deadline, even if the check ignores its signal: then it is unhealthy, or what the check says.
 * @throws the signal's reason
 */
export async function answerOf(
  question: Pick<Question, 'ask' | 'whenLate'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Verdict> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const bounded = AbortSignal.any([signal, deadline]);
  let awaited: string | undefined;
  const late = () =>
    question.whenLate ??
    unhealthy(`no response in ${formatDuration(timeoutMs)}${awaited === undefined ? '' : `: ${awaited}`}`);
  // Referenced, unlike the deadline's own timer: a check without pending handles must time out as well.
  const held = setTimeout(() => {}, timeoutMs + 1);
  try {
    const over = new Promise<Verdict>((resolve) => {
      bounded.addEventListener('abort', () => resolve(late()), { once: true });
    });
    const verdict = await Promise.race([question.ask(bounded, (what) => (awaited = what)), over]);
    signal.throwIfAborted();
    // After the deadline a check only reports that it was interrupted, not why there was no answer.
    return deadline.aborted && !verdict.healthy ? late() : verdict;
  } finally {
    clearTimeout(held);
  }
}
