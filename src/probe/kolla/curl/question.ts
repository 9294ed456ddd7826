import { KollaError } from '../../../core/errors.ts';
import { answerOf } from '../../ask/ask.ts';
import type { CheckResult } from '../../ask/verdict.ts';
import { parseDuration } from '../../../core/duration.ts';
import { messageOf } from '../../../core/errors.ts';

/** One of Kolla's scripts with parsed arguments. It can run any number of times, one after the other. */
export interface KollaQuestion {
  /** Prefix of the reason: the name of the script, or of the tool that reported the problem. */
  readonly label: string;
  readonly timeoutMs: number;
  /**
   * Runs the check. An unhealthy result is returned, never thrown.
   * @param signal the deadline, or the end of the process
   * @param tell called with the current step, which the reason names on timeout
   */
  ask(signal: AbortSignal, tell?: (awaited: string) => void): Promise<KollaAnswer>;
}

export interface KollaAnswer {
  readonly verdict: CheckResult;
  /** The output of Kolla's script; by default none. */
  readonly stdout?: string;
}

/** Invalid arguments. As in Kolla's scripts, they count as unhealthy: exit code 1. */
export class WordsError extends Error {
  override name = 'WordsError';
}

/** The program that these arguments need is missing or not executable. The exit code is that of a shell. */
export class NoProgramError extends KollaError {
  override name = 'NoProgramError';

  constructor(reason: string, code: 126 | 127) {
    super(code, reason);
  }
}

/** The exit code and the output of a process. */
export interface ScriptOutput {
  readonly code: 0 | 1;
  readonly stdout: string;
  /** One line without its line ending, or an empty text. */
  readonly stderr: string;
}

/**
 * Runs the check once within a deadline.
 * @throws the signal's reason
 */
export async function askOnce(question: KollaQuestion, signal: AbortSignal): Promise<ScriptOutput> {
  let stdout = '';
  const asked = async (bounded: AbortSignal, tell?: (awaited: string) => void): Promise<CheckResult> => {
    const answer = await question.ask(bounded, tell);
    stdout = answer.stdout ?? '';
    return answer.verdict;
  };
  const verdict = await answerOf({ ask: asked }, question.timeoutMs, signal);
  if (verdict.healthy) return { code: 0, stdout, stderr: '' };
  return { code: 1, stdout, stderr: `${question.label}: ${verdict.reason}` };
}

/** The output for invalid arguments. */
export function outputOf(name: string, { message }: WordsError): ScriptOutput {
  return { code: 1, stdout: '', stderr: `${name}: ${message}` };
}

/** Default deadline. Kolla's scripts have only that of their caller: 30 s for Docker with kolla-ansible. */
const TIMEOUT_MS = 5000;

/**
 * @throws WordsError for an invalid KOLLA_PROBE_TIMEOUT
 */
export function timeoutOf(env: NodeJS.ProcessEnv, fallbackMs: number = TIMEOUT_MS): number {
  const text = env['KOLLA_PROBE_TIMEOUT'];
  if (text === undefined || text === '') return fallbackMs;
  try {
    return parseDuration(text);
  } catch (cause) {
    throw new WordsError(`KOLLA_PROBE_TIMEOUT: ${messageOf(cause)}`, { cause });
  }
}
