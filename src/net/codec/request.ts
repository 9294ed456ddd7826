import { HEAD_MAX_BYTES, HeaderLines, HttpParseError, Lines, type Headers } from './head.ts';

export interface RequestHead {
  readonly method: string;
  /** As it was sent: path and query. */
  readonly target: string;
  readonly headers: Headers;
}

/** Reads a request's head. What follows is left unread: who answers one request a connection needs no more. */
export class RequestReader {
  readonly #lines: Lines;
  readonly #headerLines = new HeaderLines();
  #first: Omit<RequestHead, 'headers'> | undefined;

  constructor(maxBytes = HEAD_MAX_BYTES) {
    this.#lines = new Lines(maxBytes);
  }

  /** @returns the head when its last line is in this piece. @throws HttpParseError */
  push(piece: Uint8Array): RequestHead | undefined {
    for (let at = 0; at < piece.length;) {
      const { line, next } = this.#lines.take(piece, at);
      at = next;
      if (line === undefined) return undefined;
      if (this.#first === undefined) {
        const [, method, target] = /^([A-Z]{1,20}) (\S+) HTTP\/1\.[01]$/.exec(line) ?? [];
        if (method === undefined || target === undefined) throw new HttpParseError('no request line');
        this.#first = { method, target };
      } else if (this.#headerLines.add(line)) return { ...this.#first, headers: this.#headerLines.headers };
    }
    return undefined;
  }
}
