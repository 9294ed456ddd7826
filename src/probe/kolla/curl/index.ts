/**
 * healthcheck_curl: what Kolla's script asks of curl, without curl.
 *
 *   argv, HEALTHCHECK_CURL_* -> words.ts -> target.ts: the URL as curl reads it
 *   -> transfer.ts: one request, its whole answer, under --max-time -> failure.ts: curl's number for what went wrong
 *   -> write-out.ts: the line on stdout, whether it went well or not -> 0, or 1 for every number
 */
import { healthyAs, unhealthy } from '../../verdict.ts';
import type { KollaAnswer, KollaQuestion, Reach } from '../question.ts';
import { CurlError } from './failure.ts';
import { parseTarget, type Target } from './target.ts';
import type { Progress } from './transfer.ts';
import { parseCurl, type CurlWords } from './words.ts';
import { writeOut } from './write-out.ts';

/** Our own deadline must not cut off what --max-time has to say. */
const GRACE_MS = 500;
const NO_END_MS = 2 ** 31 - 1_000_000;

/** @throws WordsError */
export function curlQuestion(argv: readonly string[], env: NodeJS.ProcessEnv): KollaQuestion {
  const words = parseCurl(argv, env);
  const maxTimeMs = words.maxTimeMs === 0 ? NO_END_MS : words.maxTimeMs;
  return {
    label: 'curl',
    reach: reachOf(words),
    timeoutMs: maxTimeMs + GRACE_MS,
    ask: (signal) => answerOf(words, maxTimeMs, signal),
  };
}

function reachOf({ output, unixSocket, certificate, key }: CurlWords): Reach {
  if (output !== '/dev/null') return 'own';
  return [unixSocket, certificate, key].some((file) => file !== undefined) ? 'files' : 'network';
}

async function answerOf(words: CurlWords, maxTimeMs: number, signal: AbortSignal): Promise<KollaAnswer> {
  // Loaded before the time begins: it is ours, not the service's.
  const { transfer } = await import('./transfer.ts');
  const began = performance.now();
  const now = () => performance.now() - began;
  const progress: Progress = { bytes: 0 };
  const maxTime = AbortSignal.timeout(maxTimeMs);
  let body = '';
  let target: Target | undefined;
  let failure: CurlError | undefined;
  try {
    target = parseTarget(words.url);
    const stdout = (text: string) => void (body += text);
    await transfer(target, words, progress, { signal: AbortSignal.any([signal, maxTime]), now, stdout });
  } catch (error) {
    failure = failureOf(error, maxTime, { ms: now(), bytes: progress.bytes });
  }
  const stdout = body + writeOut(words.writeOut, factsOf(words, target, progress, { total: now(), failure }));
  if (failure === undefined) return { verdict: healthyAs(`status ${progress.response?.statusCode}`), stdout };
  return { verdict: unhealthy(`(${failure.number}) ${failure.message}`), stdout };
}

function failureOf(error: unknown, maxTime: AbortSignal, so: { ms: number; bytes: number }): CurlError {
  if (error instanceof CurlError) return error;
  if (!maxTime.aborted) throw error;
  return new CurlError(
    28,
    `Operation timed out after ${Math.round(so.ms)} milliseconds with ${so.bytes} bytes received`,
  );
}

function factsOf(
  words: CurlWords,
  target: Target | undefined,
  { response, socket, ...at }: Progress,
  { total, failure }: { readonly total: number; readonly failure: CurlError | undefined },
): Parameters<typeof writeOut>[1] {
  const nowhere = { address: '', port: 0 };
  const seconds = (ms = 0) => ms / 1000;
  return {
    httpCode: response?.statusCode ?? 0,
    remote: socket?.remote ?? nowhere,
    local: socket?.local ?? nowhere,
    nameLookup: seconds(at.nameLookup),
    connected: seconds(at.connected),
    tlsConnected: seconds(at.tlsConnected),
    requested: seconds(at.requested),
    answered: seconds(at.answered),
    total: seconds(total),
    bytes: at.bytes,
    contentType: response?.headers['content-type'] ?? '',
    httpVersion: response?.httpVersion ?? '0',
    location: whole(response?.headers.location, target),
    method: words.method ?? (words.isHead ? 'HEAD' : 'GET'),
    url: target?.shown ?? '',
    isTls: target?.isTls ?? false,
    exitCode: failure?.number ?? 0,
    error: failure?.message ?? '',
  };
}

/** Where a redirect leads, which may be told relative to what was asked. */
function whole(location: string | undefined, target: Target | undefined): string {
  if (location === undefined) return '';
  return URL.parse(location, target?.shown)?.href ?? location;
}
