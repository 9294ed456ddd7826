import { isIP } from 'node:net';
import { formatDuration } from '../../core/duration.ts';
import { KollaError } from '../../core/errors.ts';
import { backoffMs, pause } from '../../core/backoff.ts';
import { pending, skipped, type WaitState } from './verdict.ts';
import type { Report, Self } from './waiter.ts';

const TRY_MS = 5000;
const BACKOFF = { minMs: 100, maxMs: 2000 };

interface RetryOptions {
  /** Negates the verdict. An attempt that is `skipped` has no result and is not negated. */
  readonly isNegated: boolean;
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly backoff?: { readonly minMs: number; readonly maxMs: number };
}

/**
 * Retries until ready, and resolves with the state. Each attempt has a timeout, because a host that drops packets never
 * responds. For servers, which do not announce when they are available.
 */
export async function retry(
  attempt: (signal: AbortSignal) => Promise<WaitState>,
  { isNegated, report, signal, backoff = BACKOFF }: RetryOptions,
): Promise<string> {
  for (let n = 0; ; n++) {
    const bound = AbortSignal.timeout(TRY_MS);
    const answer = await attempt(AbortSignal.any([signal, bound]));
    signal.throwIfAborted();
    // A silent DNS server is `skipped`, also when it is late: it is not a server that is down, for which `!` waits.
    const isLate = bound.aborted && answer.is === 'pending';
    const { is, state } = isLate ? pending(`no response in ${formatDuration(TRY_MS)}`) : answer;
    if (is !== 'skipped' && (is === 'met') !== isNegated) return state;
    report(state);
    await pause(backoffMs(n, backoff), signal);
  }
}

/**
 * Codes of errors that mean that no server, or another kind of server, listens at the address. Another kind of server
 * causes an error without a code.
 */
const ABSENT = /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENOTFOUND)$/;

/**
 * Judges a failed request to a server. Local problems, and those of a DNS server or a certificate, do not prove that
 * the server is absent, so they must not satisfy `!`.
 * @param error the error; for a name with several addresses, the errors of all of them
 */
export function unanswered(error: unknown, state: string): WaitState {
  const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  // Without IPv6, for example, one address always fails, and the others decide.
  return errors.some(isAbsence) ? pending(state) : skipped(state);
}

function isAbsence(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  // Ours, such as for an unreadable CA bundle.
  if (error instanceof KollaError) return false;
  return typeof code !== 'string' || ABSENT.test(code);
}

/**
 * The command that shows the Pod behind this host: the endpoints of its Service, or the Pod with that address.
 * Undefined outside of a cluster.
 */
export function endpointsHint(
  host: string,
  { podName, isInCluster }: Pick<Self, 'podName' | 'isInCluster'>,
): string | undefined {
  if (!isInCluster) return undefined;
  // A server in this Pod itself.
  if (host === 'localhost' || host === '::1' || host.startsWith('127.')) return `kubectl describe pod ${podName}`;
  if (isIP(host) !== 0) return `kubectl get pods -A -o wide --field-selector status.podIP=${host}`;
  const [service, namespace] = host.split('.');
  const where = namespace === undefined ? '' : ` -n ${namespace}`;
  return `kubectl get endpointslices${where} -l kubernetes.io/service-name=${service}`;
}

/** The command that shows a path in our own container; undefined outside of a cluster. */
export function insideHint({ podName, container, isInCluster }: Self, path: string): string | undefined {
  if (!isInCluster) return undefined;
  const where = container === undefined ? podName : `${podName} -c ${container}`;
  const quoted = /^[\w./:-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
  return `kubectl exec ${where} -- ls -la ${quoted}`;
}
