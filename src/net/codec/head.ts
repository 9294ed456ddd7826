/**
 * A minimal HTTP/1.1 codec: enough to request one page, and to serve one. Parses chunks of any size, keeps at most one
 * head, and opens nothing. Kept connections and proxies are in pool/.
 *
 * Requests are read strictly, responses as leniently as curl reads them: the connection of a response whose end is in
 * doubt is closed, so that no other message could be hidden in it.
 *
 *   encodeHead('GET / HTTP/1.1', ...) -> the connection -> AnswerReader: head, then chunks of its body
 *   the connection -> RequestReader: head -> headText('HTTP/1.1 200 OK', ...) and the body
 *
 * https://www.rfc-editor.org/rfc/rfc9112, and docs/adr/0013 for what stands on it
 */

/** Headers by lower-case name. Repeated headers are joined with commas. */
export type Headers = ReadonlyMap<string, string>;

/** The data is not HTTP/1.1, or is hostile. */
export class HttpParseError extends Error {
  override name = 'HttpParseError';

  /** Whether the head exceeds the reader's limit. */
  readonly isTooLong: boolean;

  constructor(reason: string, isTooLong = false) {
    super(`Parse Error: ${reason}`);
    this.isTooLong = isTooLong;
  }
}

const STRICT_HEADER = /^([!#$%&'*+.^_`|~0-9a-z-]+):(.*)$/i;
/** Only NUL is rejected, and a line without a colon. */
const LENIENT_HEADER = /^(?![ \t])([^:\0]*):([^\0]*)$/;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;
const FOLD = /^[ \t]/;
/** More than any protocol needs to be told by. */
const BEGUN_MAX = 64;
/** As in newer releases of curl. */
const MAX_HEADERS = 5000;
const LINE_FEED = 10;

type HeaderList = readonly (readonly [name: string, value: string])[];

/** @throws TypeError if a line contains a control character, such as a line break */
export function headText(first: string, headers: HeaderList): string {
  const lines = [first, ...headers.map(([name, value]) => `${name}: ${value}`)];
  if (lines.some((line) => CONTROL.test(line))) throw new TypeError('a line of an HTTP head holds a control character');
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/**
 * One byte per character.
 * @throws as headText(), and for a character that is more than a byte: cut to one, it could be a line break
 */
export function encodeHead(first: string, headers: HeaderList): Uint8Array {
  const text = headText(first, headers);
  if (/[\u0100-\uffff]/.test(text)) throw new TypeError('a line of an HTTP head holds a character beyond Latin-1');
  return Buffer.from(text, 'latin1');
}

/** Splits a head into lines, which may be split across chunks. */
export class Lines {
  #text = '';
  #begun = '';
  readonly #maxBytes: number;
  #bytesLeft: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#bytesLeft = maxBytes;
  }

  /** The first characters of a line that is not finished: to read all of it at each byte would cost quadratic time. */
  get begun(): string {
    return this.#begun;
  }

  /** @returns the line if it ends in this chunk, and the position in the chunk up to which it was read */
  take(piece: Uint8Array, from: number): { readonly line: string | undefined; readonly next: number } {
    const end = piece.indexOf(LINE_FEED, from);
    const part = piece.subarray(from, end === -1 ? piece.length : end);
    this.#bytesLeft -= part.length + 1;
    if (this.#bytesLeft < 0) throw new HttpParseError(`a head of more than ${this.#maxBytes} bytes`, true);
    this.#text += latin1(part);
    if (this.#begun.length < BEGUN_MAX) this.#begun = this.#text.slice(0, BEGUN_MAX);
    if (end === -1) {
      // The line feed has not been received yet.
      this.#bytesLeft++;
      return { line: undefined, next: piece.length };
    }
    const line = this.#text.endsWith('\r') ? this.#text.slice(0, -1) : this.#text;
    this.#text = '';
    this.#begun = '';
    return { line, next: end + 1 };
  }
}

/** Converted in parts, because the number of a function's arguments is limited. */
function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return text;
}

/** The header lines up to the empty line. */
export class HeaderLines {
  /** Joined only at the end, because an engine may copy the string on each addition. */
  readonly #pieces = new Map<string, string[]>();
  readonly #isLenient: boolean;
  #last: string[] | undefined;
  #linesLeft = MAX_HEADERS;

  /** @param isLenient whether spaces before the colon, control characters and folded lines are accepted */
  constructor(isLenient = false) {
    this.#isLenient = isLenient;
  }

  /** The headers so far. */
  get headers(): Headers {
    return new Map([...this.#pieces].map(([name, pieces]) => [name, pieces.join('').trim()]));
  }

  /** @returns whether that was the last line */
  add(line: string): boolean {
    if (line === '') return true;
    if (this.#linesLeft-- === 0) throw new HttpParseError(`a head of more than ${MAX_HEADERS} lines`, true);
    if (this.#isLenient && this.#last !== undefined && FOLD.test(line)) {
      this.#last.push(` ${line.trim()}`);
      return false;
    }
    const [, name, value] = (this.#isLenient ? LENIENT_HEADER : STRICT_HEADER).exec(line) ?? [];
    if (name === undefined || value === undefined || (!this.#isLenient && CONTROL.test(value)))
      throw new HttpParseError('no header line');
    const key = name.trim().toLowerCase();
    const before = this.#pieces.get(key);
    this.#last = before ?? [];
    this.#last.push(before === undefined ? value.trim() : `, ${value.trim()}`);
    this.#pieces.set(key, this.#last);
    return false;
  }
}
