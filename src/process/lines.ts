import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** A line that never ends must not fill the memory: it is cut here, and goes on as the next. */
const LONGEST_CHARACTERS = 16_384;

/** Calls back for each line of a stream, without its line end, and for a last one that has none. Resolves at its end. */
export function eachLine(stream: Readable, onLine: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const take = (text: string) => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
    for (; rest.length > LONGEST_CHARACTERS; rest = rest.slice(LONGEST_CHARACTERS)) {
      onLine(rest.slice(0, LONGEST_CHARACTERS));
    }
  };
  stream.on('data', (chunk: Buffer) => take(decoder.write(chunk)));
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.once('close', () => {
      take(decoder.end());
      if (rest !== '') onLine(rest);
      resolve();
    });
  });
}
