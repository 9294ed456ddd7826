/**
 * healthcheck_curl: Kolla's script, without curl for the usual requests.
 *
 *   argv, HEALTHCHECK_CURL_* -> words.ts: a plain GET of one URL -> transfer.ts: its full response, within the maximum
 *     time -> failure.ts: curl's code for an error -> write-out.ts: the line on stdout -> 0, or 1 for any error
 *   -> anything else: exec.ts executes the image's curl, as Kolla's script does
 */
import { healthyAs, unhealthy } from '../../ask/verdict.ts';
import type { KollaAnswer, KollaQuestion } from './question.ts';
import { becomeCurl } from './exec.ts';
import { CurlError } from './failure.ts';
import type { Progress } from './transfer.ts';
import { plainGetOf, variablesIn, type PlainGet } from './words.ts';
import { writeOut } from './write-out.ts';

/** Added to --max-time for our own deadline, so that the message about --max-time comes first. */
const GRACE_MS = 500;
const NO_END_MS = 2 ** 31 - 1_000_000;

export function curlQuestion(argv: readonly string[], env: NodeJS.ProcessEnv): KollaQuestion {
  const variables = variablesIn(env);
  const plain = plainGetOf(argv, variables);
  if (plain === undefined)
    return {
      label: 'curl',
      timeoutMs: NO_END_MS,
      ask: (signal) => becomeCurl(argv, variables, env, signal),
    };
  const maxTimeMs = plain.maxTimeMs === 0 ? NO_END_MS : plain.maxTimeMs;
  return {
    label: 'curl',
    timeoutMs: maxTimeMs + GRACE_MS,
    ask: (signal) => answerOf(plain, maxTimeMs, signal),
  };
}

async function answerOf(plain: PlainGet, maxTimeMs: number, signal: AbortSignal): Promise<KollaAnswer> {
  // Loaded before the timer starts, because the load time is ours and not the service's.
  const { transfer } = await import('./transfer.ts');
  const began = performance.now();
  const progress: Progress = { remoteAddress: '', remotePort: 0, isConnected: false, status: 0, bytes: 0 };
  const maxTime = AbortSignal.timeout(maxTimeMs);
  let failure: CurlError | undefined;
  try {
    await transfer(plain, progress, AbortSignal.any([signal, maxTime]));
  } catch (error) {
    failure = error instanceof CurlError ? error : undefined;
    if (failure === undefined && !maxTime.aborted) throw error;
    failure ??= new CurlError(
      28,
      `Operation timed out after ${Math.round(performance.now() - began)} milliseconds with ${progress.bytes} bytes received`,
    );
  }
  const totalMs = performance.now() - began;
  const { status: httpCode, remoteAddress, remotePort } = progress;
  const stdout = writeOut(plain.writeOut, { httpCode, remoteAddress, remotePort, totalMs });
  if (failure === undefined) return { verdict: healthyAs(`status ${httpCode}`), stdout };
  return { verdict: unhealthy(`(${failure.number}) ${failure.message}`), stdout };
}
