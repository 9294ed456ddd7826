import { KollaError } from '../../core/errors.ts';
import { answerOf } from '../ask.ts';
import type { Verdict } from '../verdict.ts';
import { parseDuration } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';

/** One of Kolla's scripts with its words understood. It can be asked any number of times, one at a time. */
export interface KollaQuestion {
  /** Begins the reason's line: the script's name, or the tool's whose words it gives. */
  readonly label: string;
  readonly timeoutMs: number;
  /**
   * The answer; never throws for "unhealthy".
   * @param signal the deadline, or the end of the process
   * @param tell told what is waited for, which the reason names when the deadline comes
   */
  ask(signal: AbortSignal, tell?: (awaited: string) => void): Promise<KollaAnswer>;
}

export interface KollaAnswer {
  readonly verdict: Verdict;
  /** What Kolla's script prints; nothing unless said. */
  readonly stdout?: string;
}

/** The words make no sense, which is unhealthy: 1, as with Kolla's scripts. */
export class WordsError extends Error {
  override name = 'WordsError';
}

/** The program of the image that these words need is not there, or can't be run: a shell's code for that. */
export class NoProgramError extends KollaError {
  override name = 'NoProgramError';

  constructor(reason: string, code: 126 | 127) {
    super(code, reason);
  }
}

/** What a process ends with and says. */
export interface ScriptOutput {
  readonly code: 0 | 1;
  readonly stdout: string;
  /** One line without its break, or nothing. */
  readonly stderr: string;
}

/**
 * Asks once, under a deadline that holds whatever the question does.
 * @throws the signal's reason
 */
export async function askOnce(question: KollaQuestion, signal: AbortSignal): Promise<ScriptOutput> {
  let stdout = '';
  const asked = async (bounded: AbortSignal, tell?: (awaited: string) => void): Promise<Verdict> => {
    const answer = await question.ask(bounded, tell);
    stdout = answer.stdout ?? '';
    return answer.verdict;
  };
  const verdict = await answerOf({ ask: asked }, question.timeoutMs, signal);
  if (verdict.healthy) return { code: 0, stdout, stderr: '' };
  return { code: 1, stdout, stderr: `${question.label}: ${verdict.reason}` };
}

/** What is said of words that make no sense. */
export function outputOf(name: string, { message }: WordsError): ScriptOutput {
  return { code: 1, stdout: '', stderr: `${name}: ${message}` };
}

/** Kolla's scripts have no deadline but their caller's: Docker's is 30 s with kolla-ansible. */
const TIMEOUT_MS = 5000;

/** @throws WordsError for a KOLLA_PROBE_TIMEOUT that is no duration */
export function timeoutOf(env: NodeJS.ProcessEnv, fallbackMs: number = TIMEOUT_MS): number {
  const text = env['KOLLA_PROBE_TIMEOUT'];
  if (text === undefined || text === '') return fallbackMs;
  try {
    return parseDuration(text);
  } catch (cause) {
    throw new WordsError(`KOLLA_PROBE_TIMEOUT: ${messageOf(cause)}`, { cause });
  }
}
