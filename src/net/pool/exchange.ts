import type { Headers } from '../codec/head.ts';
import { BODY_MAX_BYTES, bufferOf } from '../bounded-body.ts';
import type { StreamedAnswer } from './answer.ts';
import type { Pool, PoolRequest } from './index.ts';

/** A full response. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/**
 * One request and its full response, whatever its status.
 * @throws as Pool.send() and readWithin(); ResponseTooLargeError for a body of more than 16 MiB
 */
export async function exchange(pool: Pool, request: PoolRequest): Promise<HttpAnswer> {
  const answer = await pool.send(request);
  const { status, headers } = answer;
  const body = await readWithin(answer, request.answerMs, (whole) => bufferOf(whole, BODY_MAX_BYTES));
  return { status, headers, body };
}

/**
 * Reads a body with a timeout, for a server that freezes in the middle.
 * @throws as `read`; the connection's error, or that of the timeout
 */
export async function readWithin<R>(
  answer: StreamedAnswer,
  answerMs: number,
  read: (answer: StreamedAnswer) => Promise<R>,
): Promise<R> {
  const late = setTimeout(() => answer.destroy(new Error(`no complete response in ${answerMs / 1000} s`)), answerMs);
  try {
    return await read(answer);
  } finally {
    clearTimeout(late);
  }
}
