import { passedOver, pending, type Verdict } from './verdict.ts';

/** What says that nothing is there, or something else: another kind of server gives no code, or one of the HTTP parser's. */
const ABSENT = /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENOTFOUND|HPE_\w+)$/;

/**
 * What it means that a server gave no good answer. Trouble of our own, of a name server or with a certificate says nothing of who is
 * there, so `!` must not be met by it.
 * @param error of a name with several addresses: of all of them
 */
export function unanswered(error: unknown, state: string): Verdict {
  const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  // Without IPv6, say, one address can never be tried, and the others tell.
  return errors.some(isAbsence) ? pending(state) : passedOver(state);
}

function isAbsence(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code !== 'string' || ABSENT.test(code);
}
