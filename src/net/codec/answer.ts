import { isTlsAlert, TlsAlertError } from '../dial/tls-alert.ts';
import { HeaderLines, HttpParseError, Lines, type Headers } from './head.ts';

/** curl's limit. */
export const HEAD_MAX_BYTES = 300 * 2 ** 10;
const CHUNK_LINE_MAX_BYTES = 16_384;
/** At most 12 hexadecimal digits (2^48 bytes): no body is longer, and a number can represent the length exactly. */
const CHUNK_SIZE = /^([0-9a-f]{1,12})(?:[ \t;\r].*)?$/i;
/** HTTP/2 as a text is HTTP/1.1 of a server that states another version. */
const STATUS_LINE = /^HTTP\/(1\.[01]|2(?:\.0)?) +([1-9]\d{2})(?!\d)/i;
/** A longer length stands for none. */
const LENGTH_MAX_BYTES = 2 ** 63;

export interface AnswerHead {
  readonly status: number;
  /** The version as the server states it: `1.1`. */
  readonly version: string;
  readonly headers: Headers;
}

type AnswerState =
  | 'status'
  | 'headers'
  | 'counted'
  | 'size'
  | 'chunk'
  | 'chunk end'
  | 'trailers'
  | 'to the end'
  | 'done';

/**
 * Parses the response to a request other than HEAD, as leniently as curl (test/contract/http-answers.ts). Interim
 * responses (1xx) are skipped.
 */
export class AnswerReader {
  #state: AnswerState = 'status';
  // A single limit for all heads of a response, because a server could send interim responses forever.
  readonly #headLines = new Lines(HEAD_MAX_BYTES);
  #chunkLine = new Lines(CHUNK_LINE_MAX_BYTES);
  #first: Omit<AnswerHead, 'headers'> | undefined;
  #headerLines = new HeaderLines(true);
  #bytesLeft = 0;
  #head: AnswerHead | undefined;
  readonly #onHead: (head: AnswerHead) => void;
  readonly #onBody: (piece: Uint8Array) => void;

  /** @param onBody called after onHead with each chunk of the body, without its framing */
  constructor(onHead: (head: AnswerHead) => void, onBody: (piece: Uint8Array) => void) {
    this.#onHead = onHead;
    this.#onBody = onBody;
  }

  /** The head; undefined until it has been received. */
  get head(): AnswerHead | undefined {
    return this.#head;
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /**
   * @returns how much of the piece belongs to this response: all of it, unless more follows its end
   * @throws HttpParseError; TlsAlertError
   */
  push(piece: Uint8Array): number {
    let at = 0;
    while (at < piece.length && this.#state !== 'done')
      at = this.#isInBody() ? this.#takeBody(piece, at) : this.#takeLine(piece, at);
    return at;
  }

  /**
   * Called when the connection has ended.
   * @returns whether the response is complete, which may be known only now
   */
  end(): boolean {
    if (this.#state === 'to the end') this.#state = 'done';
    return this.isDone;
  }

  #isInBody(): boolean {
    return this.#state === 'counted' || this.#state === 'chunk' || this.#state === 'to the end';
  }

  #takeBody(piece: Uint8Array, from: number): number {
    const end = this.#state === 'to the end' ? piece.length : Math.min(piece.length, from + this.#bytesLeft);
    this.#bytesLeft -= end - from;
    if (this.#bytesLeft <= 0 && this.#state === 'counted') this.#state = 'done';
    if (this.#bytesLeft <= 0 && this.#state === 'chunk') this.#state = 'chunk end';
    this.#onBody(piece.subarray(from, end));
    return end;
  }

  #takeLine(piece: Uint8Array, from: number): number {
    const isOfChunk = this.#state === 'size' || this.#state === 'chunk end';
    const { line, next } = (isOfChunk ? this.#chunkLine : this.#headLines).take(piece, from);
    if (line !== undefined) this.#understand(line);
    // Rejected without waiting for a line feed, because greetings of other protocols may have none.
    else if (this.#state === 'status' && !isBeginOfStatus(this.#headLines.begun)) throw notHttp(this.#headLines.begun);
    return next;
  }

  #understand(line: string): void {
    switch (this.#state) {
      case 'status':
        this.#first = firstOf(line);
        this.#headerLines = new HeaderLines(true);
        this.#state = 'headers';
        break;
      case 'headers':
        if (this.#headerLines.add(line)) this.#beginBody();
        break;
      case 'size':
        this.#bytesLeft = chunkSize(line);
        this.#chunkLine = new Lines(CHUNK_LINE_MAX_BYTES);
        this.#state = this.#bytesLeft === 0 ? 'trailers' : 'chunk';
        break;
      case 'chunk end':
        if (line !== '') throw new HttpParseError('a chunk longer than its size');
        this.#state = 'size';
        break;
      case 'trailers':
        if (line === '') this.#state = 'done';
        break;
      case 'counted':
      case 'chunk':
      case 'to the end':
      case 'done':
        break; // no lines
    }
  }

  #beginBody(): void {
    const { status = 0, version = '1.1' } = this.#first ?? {};
    const { headers } = this.#headerLines;
    if (status < 200) {
      this.#state = 'status';
      return;
    }
    const length = lengthIn(headers);
    this.#state = bodyState(status, headers, length);
    this.#bytesLeft = length ?? 0;
    this.#head = { status, version, headers };
    this.#onHead(this.#head);
  }
}

function bodyState(status: number, headers: Headers, length: number | undefined): AnswerState {
  if (status === 204 || status === 304) return 'done';
  const codings = codingsIn(headers);
  // RFC 9112, 6.3: chunks override a length.
  if (codings.includes('chunked')) return 'size';
  if (codings.length > 0) return 'to the end';
  if (length === 0) return 'done';
  return length === undefined ? 'to the end' : 'counted';
}

function codingsIn(headers: Headers): string[] {
  const each = (headers.get('transfer-encoding') ?? '').toLowerCase().split(',');
  return each.map((one) => one.trim()).filter((one) => one !== '' && one !== 'identity');
}

function notHttp(text: string): Error {
  return isTlsAlert(text) ? new TlsAlertError() : new HttpParseError('Expected HTTP/');
}

function isBeginOfStatus(text: string): boolean {
  const begin = 'HTTP/';
  const start = text.slice(0, begin.length).toUpperCase();
  return begin.startsWith(start);
}

function firstOf(line: string): Omit<AnswerHead, 'headers'> {
  const [, version, status] = STATUS_LINE.exec(line) ?? [];
  if (version === undefined) throw notHttp(line);
  // The server switches to another protocol, although none was requested.
  if (status === '101') throw new HttpParseError('Unexpected upgrade');
  return { version, status: Number(status) };
}

/**
 * The number with which a length begins, as curl reads it; of several the smallest, with which the body is complete in
 * any case.
 */
function lengthIn(headers: Headers): number | undefined {
  const text = headers.get('content-length');
  if (text === undefined) return undefined;
  const lengths = text.split(',').map((each) => Number(/^\+?(\d+)/.exec(each.trim())?.[1]));
  if (lengths.some(Number.isNaN)) throw new HttpParseError('Invalid Content-Length');
  const least = Math.min(...lengths);
  return least < LENGTH_MAX_BYTES ? least : undefined;
}

function chunkSize(line: string): number {
  const [, size] = CHUNK_SIZE.exec(line) ?? [];
  if (size === undefined) throw new HttpParseError('Invalid chunk size');
  return Number.parseInt(size, 16);
}
