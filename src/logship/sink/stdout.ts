import type { Writable } from 'node:stream';
import { messageOf, UnavailableError } from '../../cli/errors.ts';
import type { Sink } from './sink.ts';

/** JSON lines on a stream. A line is in when the stream has taken it: a restart may repeat the last ones. */
export function stdoutSink(stream: Writable): Sink {
  return {
    name: 'stdout',
    async send(documents, signal) {
      signal.throwIfAborted();
      const text = documents.map(({ source }) => `${source}\n`).join('');
      await Promise.race([written(stream, text), aborted(signal)]);
      return { is: 'all in' };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function written(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (cause) => {
      if (cause) reject(new UnavailableError(`cannot write to stdout: ${messageOf(cause)}`, { cause }));
      else resolve();
    });
  });
}

/** A reader that has stopped reading must not hold our end. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
