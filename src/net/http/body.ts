import type { IncomingMessage } from 'node:http';

const MOST_BYTES = 16 * 2 ** 20;

/** The whole of an answer. Rejects with the system's error, where it broke off, and where it is more than 16 MiB. */
export async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error(`an answer of more than ${MOST_BYTES} bytes`);
  }
  if (!response.complete) throw new Error('the answer broke off');
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}
