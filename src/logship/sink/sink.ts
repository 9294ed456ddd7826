import { unlessAborted } from '../../core/abort.ts';
import { messageOf, UnavailableError } from '../../core/errors.ts';
import type { Batch } from '../batch/batch.ts';

/** The outcome of one document. `already`: an earlier attempt or run has indexed it. */
export type DocumentOutcome =
  | { readonly is: 'in' | 'already' }
  /** `isUnknown`: this attempt may have indexed it. */
  | { readonly is: 'again'; readonly reason: string; readonly isUnknown?: boolean }
  /** From an overloaded server. */
  | { readonly is: 'busy'; readonly reason: string }
  /** It will not be indexed. `cause` is the same for documents with the same problem. */
  | { readonly is: 'refused'; readonly reason: string; readonly cause: string };

/** The outcome of a request. */
export type Answer =
  | { readonly is: 'all in' }
  /** One verdict per document, in their order. */
  | { readonly is: 'each'; readonly verdicts: readonly DocumentOutcome[] }
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
  /**
   * The generation of the index that the last answer was about; 0 if unknown. Undefined if documents of a day always go
   * to the same index.
   */
  readonly indexGeneration?: number | undefined;
  /** Maximum number of concurrent requests, if documents must stay in order. */
  readonly atOnce?: 1;
  /**
   * Makes one attempt; the caller retries. Sets `batch.indexGeneration` while it may have been indexed without an answer.
   * Rejects only for permanent errors, and with the signal's reason.
   */
  send(batch: Batch, signal: AbortSignal): Promise<Answer>;
}

/** What the sink uses of process.stdout. */
export interface ByteStream {
  /** @param then called when the bytes are written, or with the error */
  write(bytes: Uint8Array, then: (error?: Error | null) => void): boolean;
}

/**
 * JSON lines on a stream. A line counts as acknowledged when the stream accepts it: after a SIGKILL the last ones may
 * be repeated.
 */
export function stdoutSink(stream: ByteStream): Sink {
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

function written(stream: ByteStream, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (cause) => {
      if (cause) reject(new UnavailableError(`cannot write to stdout: ${messageOf(cause)}`, { cause }));
      else resolve();
    });
  });
}
