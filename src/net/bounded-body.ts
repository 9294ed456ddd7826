import { BoundedBytes } from './bounded-bytes.ts';

/** Maximum size of a full response. */
export const BODY_MAX_BYTES = 16 * 2 ** 20;

interface Body extends AsyncIterable<unknown> {
  readonly complete: boolean;
}

/**
 * The whole body of a response.
 * @throws ResponseTooLargeError; an Error for a truncated body
 */
export async function bufferOf(response: Body, maxBytes: number): Promise<Buffer> {
  const bytes = new BoundedBytes(maxBytes);
  for await (const chunk of response as AsyncIterable<Buffer>) if (!bytes.add(chunk)) break;
  const { whole } = bytes;
  if (!response.complete) throw new Error('the response is incomplete');
  return whole;
}
