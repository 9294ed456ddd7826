import type { Writable } from 'node:stream';
import { unlessAborted } from '../../core/abort.ts';
import { messageOf, UnavailableError } from '../../core/errors.ts';
import type { Batch } from '../send/batch.ts';

/** The outcome of one document. `already` means that an earlier attempt or run has indexed it. */
export type Verdict =
  | { readonly is: 'in' | 'already' }
  /** `busy` is `again` from an overloaded server. */
  | { readonly is: 'again' | 'busy' | 'refused'; readonly reason: string };

/** The outcome of a request. */
export type Answer =
  | { readonly is: 'all in' }
  /** One verdict per document, in their order. */
  | { readonly is: 'each'; readonly verdicts: readonly Verdict[] }
  /**
   * It is not known that anything was indexed, so all documents are retried later. If the server is overloaded or the
   * connection broke, the next request has fewer bytes.
   */
  | { readonly is: 'held'; readonly reason: string; readonly because?: 'busy' | 'cut' | undefined }
  | { readonly is: 'too large' };

/** A destination for documents. A new kind of destination is a new file in this directory. */
export interface Sink extends AsyncDisposable {
  /** The destination's name in messages: `elasticsearch at http://es:9200`. It contains no credentials. */
  readonly name: string;
  /**
   * The text before a document's ID, for its day in UTC (`2026-11-20`). The ID, `"}}` and a newline follow it.
   * Undefined if documents are sent without IDs.
   */
  readonly opening: ((day: string) => string) | undefined;
  /** Maximum number of concurrent requests, if documents must stay in order. */
  readonly atOnce?: 1;
  /** Makes one attempt; the caller retries. Rejects only for permanent errors, and with the signal's reason. */
  send(batch: Batch, signal: AbortSignal): Promise<Answer>;
}

/**
 * JSON lines on a stream. A line counts as acknowledged when the stream accepts it: after a SIGKILL the last ones may
 * be repeated.
 */
export function stdoutSink(stream: Writable): Sink {
  return {
    name: 'stdout',
    opening: undefined,
    // Readers expect lines in their order.
    atOnce: 1,
    async send({ body }, signal) {
      // If the reader has stopped reading, that must not block our exit.
      await unlessAborted(written(stream, body), signal);
      return { is: 'all in' };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function written(stream: Writable, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (cause) => {
      if (cause) reject(new UnavailableError(`cannot write to stdout: ${messageOf(cause)}`, { cause }));
      else resolve();
    });
  });
}
