import type { Redact } from '../core/redact.ts';

/** Maximum length. A longer line is split, because an endless line must not exhaust memory. */
const LONGEST_CHARACTERS = 16_384;
/**
 * Number of characters held back at a split: a secret that has only begun there is not recognized yet, and half of it
 * must not be shown.
 */
const KEPT_CHARACTERS = 4096;

/** The methods of a stream that are used here. */
interface Readable {
  setEncoding(encoding: 'utf8'): unknown;
  on(event: 'data', take: (text: string) => void): unknown;
  once(event: 'error', fail: (error: Error) => void): unknown;
  once(event: 'close', end: () => void): unknown;
}

/**
 * Calls back for each line of a stream, without its line ending, and for an unterminated last one. Resolves at the end.
 * @param redact hides secrets in each line before it is split or shown
 */
export function eachLine(
  stream: Readable,
  onLine: (line: string) => void,
  redact: Redact = (line) => line,
): Promise<void> {
  let rest = '';
  const give = (line: string, kept: number): string => {
    let shown = redact(line);
    for (; shown.length > LONGEST_CHARACTERS + kept; shown = shown.slice(LONGEST_CHARACTERS))
      onLine(shown.slice(0, LONGEST_CHARACTERS));
    return shown;
  };
  const take = (text: string) => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(give(line, 0));
    if (rest.length > LONGEST_CHARACTERS + KEPT_CHARACTERS) rest = give(rest, KEPT_CHARACTERS);
  };
  stream.setEncoding('utf8');
  stream.on('data', take);
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.once('close', () => {
      if (rest !== '') onLine(give(rest, 0));
      resolve();
    });
  });
}
