import { isIP } from 'node:net';
import { formatDuration } from '../core/duration.ts';
import { backoffMs, pause } from '../core/backoff.ts';
import { lookupWithin } from '../net/lookup.ts';
import { pending, skipped, type Verdict } from './verdict.ts';
import type { Report, Self } from './waiter.ts';

const TRY_MS = 5000;
const BACKOFF = { minMs: 100, maxMs: 2000 };

/** For host names: a DNS server that does not answer must not look like a server that is down, which `!` waits for. */
export const lookup = lookupWithin(TRY_MS - 1000);

interface RetryOptions {
  /** Met when the attempt is not; what an attempt skips, it could not look at, and is neither. */
  readonly isNegated: boolean;
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly backoff?: { readonly minMs: number; readonly maxMs: number };
}

/**
 * Asks again until the answer is right, and resolves with it. Each try is bounded: a host that drops packets answers
 * never. For servers, which do not announce that they are up.
 */
export async function retry(
  attempt: (signal: AbortSignal) => Promise<Verdict>,
  { isNegated, report, signal, backoff = BACKOFF }: RetryOptions,
): Promise<string> {
  for (let n = 0; ; n++) {
    const bound = AbortSignal.timeout(TRY_MS);
    const answer = await attempt(AbortSignal.any([signal, bound]));
    signal.throwIfAborted();
    const isLate = bound.aborted && answer.is !== 'met';
    const { is, state } = isLate ? pending(`no answer in ${formatDuration(TRY_MS)}`) : answer;
    if (is !== 'skipped' && (is === 'met') !== isNegated) return state;
    report(state);
    await pause(backoffMs(n, backoff), signal);
  }
}

/** What says that nothing is there, or something else: another kind of server gives no code, or one of the HTTP parser's. */
const ABSENT = /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENOTFOUND|HPE_\w+)$/;

/**
 * What it means that a server gave no good answer. Trouble of our own, of a DNS server or with a certificate says nothing of who is
 * there, so `!` must not be met by it.
 * @param error of a name with several addresses: of all of them
 */
export function unanswered(error: unknown, state: string): Verdict {
  const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  // Without IPv6, say, one address can never be tried, and the others tell.
  return errors.some(isAbsence) ? pending(state) : skipped(state);
}

function isAbsence(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code !== 'string' || ABSENT.test(code);
}

/**
 * The command that shows which Pod should answer at this host: the endpoints of its Service, or the Pod with that address. Undefined
 * without a cluster.
 */
export function endpointsHint(
  host: string,
  { podName, isInCluster }: Pick<Self, 'podName' | 'isInCluster'>,
): string | undefined {
  if (!isInCluster) return undefined;
  // A server in this Pod.
  if (host === 'localhost' || host === '::1' || host.startsWith('127.')) return `kubectl describe pod ${podName}`;
  if (isIP(host) !== 0) return `kubectl get pods -A -o wide --field-selector status.podIP=${host}`;
  const [service, namespace] = host.split('.');
  const where = namespace === undefined ? '' : ` -n ${namespace}`;
  return `kubectl get endpointslices${where} -l kubernetes.io/service-name=${service}`;
}

/** The command that shows what is at a path of our own container; undefined without a cluster. */
export function insideHint({ podName, container, isInCluster }: Self, path: string): string | undefined {
  if (!isInCluster) return undefined;
  const where = container === undefined ? podName : `${podName} -c ${container}`;
  const quoted = /^[\w./:-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
  return `kubectl exec ${where} -- ls -la ${quoted}`;
}
