import type { IncomingMessage } from 'node:http';
import { ResponseTooLargeError } from './dial/too-large.ts';

/**
 * The whole body of a response.
 * @throws ResponseTooLargeError; an Error for a truncated body
 */
export async function bufferOf(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw new ResponseTooLargeError(maxBytes);
  }
  if (!response.complete) throw new Error('the response is incomplete');
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}
