/**
 * The words of a shim's question as bytes: each is its kind (one letter), its length in bytes, a colon, itself and a
 * comma: `a12:nova-compute,`. Counted, so that no byte in a word needs escaping and none can end it.
 */

/** `a`: an argument. `e`: a variable, NAME=VALUE. `p`: the asker's pid. */
export type WordKind = 'a' | 'e' | 'p';

export interface Word {
  readonly kind: WordKind;
  readonly bytes: Buffer;
}

/** @throws RangeError that names the offset where it is no such text */
export function parseWords(text: Buffer): Word[] {
  const words: Word[] = [];
  for (let at = 0; at < text.length;) {
    const colon = text.indexOf(':', at);
    const head = /^([aep])(0|[1-9]\d{0,6})$/.exec(colon === -1 ? '' : text.toString('latin1', at, colon));
    const end = colon + 1 + Number(head?.[2]);
    if (head === null || text[end] !== 0x2c) throw new RangeError(`no word at byte ${at}`);
    words.push({ kind: head[1] as WordKind, bytes: text.subarray(colon + 1, end) });
    at = end + 1;
  }
  return words;
}

/** How a shim was called. */
interface Invocation {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** In the asker's own PID namespace. */
  readonly pid: number | undefined;
}

/** The words put together, as text: node reads a process's own arguments as UTF-8 too. */
export function askedOf(words: readonly Word[]): Invocation {
  const texts = (kind: WordKind) => words.filter((word) => word.kind === kind).map(({ bytes }) => bytes.toString());
  const env = texts('e').map((text): [string, string] => {
    const equals = text.indexOf('=');
    return [text.slice(0, equals), text.slice(equals + 1)];
  });
  const pid = Number(texts('p')[0]);
  return { argv: texts('a'), env: Object.fromEntries(env), pid: Number.isInteger(pid) && pid > 0 ? pid : undefined };
}
