import type { Writable } from 'node:stream';
import { unlessAborted } from '../../core/abort.ts';
import { messageOf, UnavailableError } from '../../core/errors.ts';
import type { Sink } from './sink.ts';

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
