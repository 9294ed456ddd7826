import { UnavailableError, messageOf } from '../../../core/errors.ts';
import { requestOnce } from '../../../net/request-once.ts';
import type { HttpAction } from './actions.ts';

/**
 * Sends the request, without a body. Throws UnavailableError when there is no answer or one of 400 and above, with nothing of
 * the URL that may be secret.
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
