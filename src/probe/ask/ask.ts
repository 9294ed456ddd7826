import type { Context } from '../../cli/command.ts';
import { defined } from '../../core/defined.ts';
import { formatDuration } from '../../core/duration.ts';
import { ExitCode } from '../../core/errors.ts';
import { unhealthy, type CheckResult, type Question } from './verdict.ts';

/**
 * Runs one check once and reports the result: the reason on stderr if unhealthy, nothing otherwise.
 * @param timeoutMs time after which it is unhealthy
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

/** The end of the reason of a check whose name was not resolved by the deadline: see dial(). */
const UNRESOLVED = /\bcannot resolve \S+: .* \(EAI_AGAIN\)$/;

/**
 * The verdict by the deadline, even if the check ignores its signal. At the deadline the verdict is unhealthy, unless
 * the check defines another one.
 * @param deadline aborted at the deadline
 * @throws the signal's reason
 */
export async function answerOf(
  question: Pick<Question, 'ask' | 'whenLate'>,
  timeoutMs: number,
  signal: AbortSignal,
  deadline: AbortSignal = AbortSignal.timeout(timeoutMs),
): Promise<CheckResult> {
  const bounded = AbortSignal.any([signal, deadline]);
  let awaited: string | undefined;
  const late = () =>
    question.whenLate ??
    unhealthy(`no response in ${formatDuration(timeoutMs)}${awaited === undefined ? '' : `: ${awaited}`}`);
  const lateBecause = (verdict: CheckResult) => {
    if (!verdict.healthy && UNRESOLVED.test(verdict.reason)) awaited = verdict.reason;
    return late();
  };
  // Referenced, unlike the deadline's own timer, because a check without pending handles must time out too.
  const held = setTimeout(() => {}, timeoutMs + 1);
  try {
    const over = new Promise<CheckResult>((resolve) => {
      // A check that the deadline interrupts while it resolves a name says so: the server is not what is silent.
      bounded.addEventListener('abort', () => setImmediate(() => resolve(late())), { once: true });
    });
    const asked = question
      .ask(bounded, (what) => (awaited = what))
      .catch((error: unknown) => {
        // A check that only stops at the deadline has no verdict of its own.
        if (bounded.aborted && error === bounded.reason) return over;
        throw error;
      });
    const verdict = await Promise.race([asked, over]);
    signal.throwIfAborted();
    // Otherwise a check reports after the deadline only that it was interrupted, not why there was no response.
    return deadline.aborted && !verdict.healthy ? lateBecause(verdict) : verdict;
  } finally {
    clearTimeout(held);
  }
}
