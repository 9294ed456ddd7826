import { parseDuration } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import { WordsError } from './question.ts';

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
