import type { Writable } from 'node:stream';
import { unlessAborted } from '../../core/abort.ts';
import { messageOf, UnavailableError } from '../../core/errors.ts';
import type { Batch } from '../send/batch.ts';

/** The outcome of one document. `already`: indexed by an earlier attempt or run. */
export type Verdict =
  | { readonly is: 'in' | 'already' }
  /** `busy` is `again` from an overloaded server. */
  | { readonly is: 'again' | 'busy' | 'refused'; readonly reason: string };

/** The outcome of a request. */
export type Answer =
  | { readonly is: 'all in' }
  /** One verdict per document, in order. */
  | { readonly is: 'each'; readonly verdicts: readonly Verdict[] }
  /**
   * Nothing is known to be indexed: retry all later; with fewer bytes at once if the server is overloaded or the
   * connection broke.
   */
  | { readonly is: 'held'; readonly reason: string; readonly because?: 'busy' | 'cut' | undefined }
  | { readonly is: 'too large' };

/** A destination for documents. A new destination is one more file in this directory. */
export interface Sink extends AsyncDisposable {
  /** For messages: `elasticsearch at http://es:9200`. Without credentials. */
  readonly name: string;
  /**
   * The text before a document's id, by its day in UTC (`2026-11-20`); the id, `"}}` and a newline follow. Undefined if
   * documents are sent without ids.
   */
  readonly opening: ((day: string) => string) | undefined;
  /** Maximum concurrent requests, if they must stay in order. */
  readonly atOnce?: 1;
  /** One attempt; retries are the caller's. Rejects only for permanent errors, and for the signal. */
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
    // Readers expect lines in order.
    atOnce: 1,
    async send({ body }, signal) {
      // A reader that has stopped reading must not block our exit.
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
