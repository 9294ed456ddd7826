import type { Trust } from '../../../cli/tls-option.ts';
import { networkReason, plainReason } from '../../../net/dial/network-error.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { requestOnce } from '../../../net/request-once.ts';
import type { HttpAction } from './actions.ts';

/**
 * Sends the request without a body. Throws UnavailableError if there is no response, or if its status is 400 or above.
 * The error contains no secrets of the URL.
 */
export async function sendRequest(
  { method, url }: HttpAction,
  { signal, trust }: { readonly signal: AbortSignal; readonly trust: Trust },
): Promise<void> {
  const { status } = await requestOnce(url, { method, signal, ...trust }).catch((cause: unknown) => {
    signal.throwIfAborted();
    const why = url.protocol === 'https:' ? networkReason(cause, trust.caFile) : plainReason(cause, 'use https://');
    throw new UnavailableError(why, { cause });
  });
  if (status >= 400) throw new UnavailableError(`the response status is ${status}`);
}
