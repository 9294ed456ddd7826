import type { Writable } from 'node:stream';
import { unlessAborted } from '../../core/abort.ts';
import { messageOf, UnavailableError } from '../../core/errors.ts';
import type { Batch } from '../send/batch.ts';

/** What became of one document. `already` is one that an earlier try or run had brought in. */
export type Verdict =
  | { readonly is: 'in' | 'already' }
  /** `busy` is `again` from a server that has too much to do. */
  | { readonly is: 'again' | 'busy' | 'refused'; readonly reason: string };

/** What became of a request. */
export type Answer =
  | { readonly is: 'all in' }
  /** One verdict a document, in their order. */
  | { readonly is: 'each'; readonly verdicts: readonly Verdict[] }
  /** Nothing is known to be in: all of it again, later; less at once where it has too much to do, or the connection was cut. */
  | { readonly is: 'held'; readonly reason: string; readonly because?: 'busy' | 'cut' | undefined }
  | { readonly is: 'too large' };

/** Where documents go. A new destination is one file more beside this one. */
export interface Sink extends AsyncDisposable {
  /** For messages: `elasticsearch at http://es:9200`. Without credentials. */
  readonly name: string;
  /**
   * What stands before a document's id, by its day in UTC (`2026-11-20`); the id and `"}}` and a newline follow. Undefined
   * where documents are sent without ids.
   */
  readonly opening: ((day: string) => string) | undefined;
  /** Requests that it may have at a time, where one must not overtake another. */
  readonly atOnce?: 1;
  /**
   * Tries once; trying again is the caller's. Rejects only for what no retry can fix, and for the signal.
   */
  send(batch: Batch, signal: AbortSignal): Promise<Answer>;
}

/** JSON lines on a stream. A line is in when the stream has taken it: after a kill the last ones may be repeated. */
export function stdoutSink(stream: Writable): Sink {
  return {
    name: 'stdout',
    opening: undefined,
    // Who reads along wants lines in their order.
    atOnce: 1,
    async send({ body }, signal) {
      // A reader that has stopped reading must not hold our end.
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
