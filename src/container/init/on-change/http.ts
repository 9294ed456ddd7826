import { UnavailableError, messageOf } from '../../../core/errors.ts';
import { requestOnce } from '../../../net/request-once.ts';
import type { HttpAction } from './actions.ts';

/**
 * Sends the request, without a body. Throws UnavailableError without a response or for a status of 400 and above,
 * without possible secrets of the URL.
 */
export async function sendRequest(
  { method, url }: HttpAction,
  { signal, caFile }: { readonly signal: AbortSignal; readonly caFile: string | undefined },
): Promise<void> {
  const { status } = await requestOnce(url, { method, signal, caFile }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new UnavailableError(messageOf(cause), { cause });
  });
  if (status >= 400) throw new UnavailableError(`the answer is ${status}`);
}
