import { HeaderLines, HttpParseError, Lines, type Headers } from './head.ts';

/** A request, excluding its body. */
export interface RequestHead {
  readonly method: string;
  /** Path and query as they are sent. */
  readonly target: string;
  readonly headers: Headers;
}

const TOKEN = "!#$%&'*+.^_`|~0-9A-Za-z-";
const REQUEST_LINE = new RegExp(`^([${TOKEN}]+) ([\\x21-\\x7e]+) HTTP/1\\.([01])$`);
const METHOD_BEGIN = new RegExp(`^[${TOKEN}]`);

/** Parses the head of one request. The caller drops what follows the head: a body or another request. */
export class RequestReader {
  readonly #lines: Lines;
  readonly #headers = new HeaderLines();
  #first: { readonly method: string; readonly target: string; readonly minor: string } | undefined;

  /** @param maxBytes maximum size of the whole head */
  constructor(maxBytes: number) {
    this.#lines = new Lines(maxBytes);
  }

  /**
   * @returns the head when it is complete
   * @throws HttpParseError
   */
  push(piece: Uint8Array): RequestHead | undefined {
    for (let at = 0; at < piece.length;) {
      const { line, next } = this.#lines.take(piece, at);
      at = next;
      if (line !== undefined && this.#isLast(line)) return this.#whole();
    }
    // Rejected without waiting for a line feed, because greetings of other protocols may have none.
    const { begun } = this.#lines;
    if (this.#first === undefined && begun.trim() !== '' && !METHOD_BEGIN.test(begun)) throw notHttp();
    return undefined;
  }

  #isLast(line: string): boolean {
    if (this.#first !== undefined) return this.#headers.add(line);
    // RFC 9112, 2.2: an empty line that old clients send after their previous request.
    if (line === '') return false;
    const [, method, target, minor] = REQUEST_LINE.exec(line) ?? [];
    if (method === undefined || target === undefined || minor === undefined) throw notHttp();
    this.#first = { method, target, minor };
    return false;
  }

  #whole(): RequestHead {
    const { method, target, minor } = this.#first!;
    const { headers } = this.#headers;
    const host = headers.get('host');
    // Of two Host headers, servers may choose different ones.
    if (host === undefined ? minor === '1' : host.includes(',')) throw new HttpParseError('not one Host header');
    return { method, target, headers };
  }
}

function notHttp(): HttpParseError {
  return new HttpParseError('no request line of HTTP/1.1');
}
