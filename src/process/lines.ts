/** A line that never ends must not fill the memory: it is cut here, and goes on as the next. */
const LONGEST_CHARACTERS = 16_384;

/** What a stream has that is read here. */
interface Readable {
  setEncoding(encoding: 'utf8'): unknown;
  on(event: 'data', take: (text: string) => void): unknown;
  once(event: 'error', fail: (error: Error) => void): unknown;
  once(event: 'close', end: () => void): unknown;
}

/** Calls back for each line of a stream, without its line end, and for a last one that has none. Resolves at its end. */
export function eachLine(stream: Readable, onLine: (line: string) => void): Promise<void> {
  let rest = '';
  const take = (text: string) => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
    for (; rest.length > LONGEST_CHARACTERS; rest = rest.slice(LONGEST_CHARACTERS)) {
      onLine(rest.slice(0, LONGEST_CHARACTERS));
    }
  };
  stream.setEncoding('utf8');
  stream.on('data', take);
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.once('close', () => {
      if (rest !== '') onLine(rest);
      resolve();
    });
  });
}
