import { CLOSED } from '../dial/network-error.ts';
import { ResponseTooLargeError } from '../dial/too-large.ts';
import { errorName } from './error-names.ts';
import { Http2Error } from './error.ts';
import { FLAG, frame, FrameReader, STREAM, TYPE, type Frame } from './frames.ts';
import { HeaderDecoder } from './hpack.ts';

export interface UnaryAnswer {
  /** Headers and trailers. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** A response has about six. */
const FRAMES_MAX = 1000;
const PRIORITY_BYTES = 5;
const NO_ERROR = 0;

/** Reads what a server sends until the response of our stream is complete. */
export class ResponseReader {
  readonly #reader = new FrameReader((each) => {
    this.#take(each);
    return !this.isDone;
  });
  readonly #decoder: HeaderDecoder;
  readonly #send: (bytes: Uint8Array) => void;
  readonly #maxBytes: number;
  #frames = 0;
  /** The headers that are not complete, and the flags of their first frame. */
  #block: { readonly flags: number; bytes: Buffer } | undefined;
  readonly #headers = new Map<string, string>();
  readonly #pieces: Buffer[] = [];
  #bodyBytes = 0;
  isDone = false;

  /**
   * @param maxBytes limit of the body, and of the headers
   * @param send called with acknowledgments
   */
  constructor(maxBytes: number, send: (bytes: Uint8Array) => void) {
    this.#maxBytes = maxBytes;
    this.#decoder = new HeaderDecoder(maxBytes);
    this.#send = send;
  }

  get answer(): UnaryAnswer {
    return { headers: this.#headers, body: Buffer.concat(this.#pieces) };
  }

  /** What it means if the connection ends now. */
  get closed(): string {
    if (this.#frames === 0) return `${CLOSED}: it may not speak HTTP/2`;
    return this.#headers.size === 0 ? CLOSED : 'closed in the middle of its response';
  }

  /**
   * What follows the response is not read.
   * @throws Http2Error; TlsAlertError; ResponseTooLargeError; an Error if the server ends the call, or sends too many frames
   */
  push(piece: Uint8Array): void {
    this.#reader.push(piece);
  }

  #take(taken: Frame): void {
    if (++this.#frames > FRAMES_MAX) throw new Error(`no end of its response after ${FRAMES_MAX} frames of HTTP/2`);
    const { type, flags, payload } = taken;
    if ((this.#block !== undefined) !== (type === TYPE.continuation))
      throw new Http2Error(this.#block === undefined ? 'the rest of no headers' : 'another frame within headers');
    switch (type) {
      case TYPE.data:
        this.#checkOurs(taken);
        if (this.#headers.size === 0) throw new Http2Error('data before headers');
        // Padding counts too, as for the window.
        this.#bodyBytes += payload.length;
        if (this.#bodyBytes > this.#maxBytes) throw new ResponseTooLargeError(this.#maxBytes);
        this.#pieces.push(Buffer.from(unpadded(taken)));
        this.isDone = (flags & FLAG.endStream) !== 0;
        break;
      case TYPE.headers: {
        this.#checkOurs(taken);
        const bytes = unpadded(taken).subarray((flags & FLAG.priority) === 0 ? 0 : PRIORITY_BYTES);
        this.#block = { flags, bytes: Buffer.from(bytes) };
        this.#endBlock(flags);
        break;
      }
      case TYPE.continuation: {
        this.#checkOurs(taken);
        const block = this.#block!;
        if (block.bytes.length + payload.length > this.#maxBytes)
          throw new ResponseTooLargeError(this.#maxBytes, 'a response head');
        block.bytes = Buffer.concat([block.bytes, payload]);
        this.#endBlock(flags);
        break;
      }
      case TYPE.reset:
        this.#checkOurs(taken);
        throw new Error(`the server breaks off the call (${errorName(numberAt(payload, 0))})`);
      case TYPE.settings:
        this.#checkConnections(taken);
        if ((flags & FLAG.ack) === 0) this.#send(frameOf(TYPE.settings, FLAG.ack));
        break;
      case TYPE.ping:
        this.#checkConnections(taken);
        if ((flags & FLAG.ack) === 0) this.#send(frameOf(TYPE.ping, FLAG.ack, payload));
        break;
      case TYPE.goAway: {
        this.#checkConnections(taken);
        const [last, code] = [numberAt(payload, 0) & 0x7f_ff_ff_ff, numberAt(payload, 4)];
        // A server that is shut down first completes what it has begun.
        if (code !== NO_ERROR || last < STREAM)
          throw new Error(`the server ends the connection before its response (${errorName(code)})`);
        break;
      }
      case TYPE.pushPromise:
        throw new Http2Error('a response that was not asked for');
      default: // priorities, windows, which our request does not need, and extensions
    }
  }

  #endBlock(flags: number): void {
    if ((flags & FLAG.endHeaders) === 0) return;
    const { flags: first, bytes } = this.#block!;
    this.#block = undefined;
    const headers = this.#decoder.decode(bytes);
    const isEnd = (first & FLAG.endStream) !== 0;
    if (this.#headers.size > 0) {
      if (!isEnd) throw new Http2Error('headers after headers');
    } else {
      const status = headers.find(([name]) => name === ':status')?.[1] ?? '';
      if (!/^[1-9]\d\d$/.test(status)) throw new Http2Error('headers without a status');
      // An interim response.
      if (status.startsWith('1') && !isEnd) return;
    }
    for (const [name, value] of headers) this.#headers.set(name, value);
    this.isDone = isEnd;
  }

  #checkOurs({ stream }: Frame): void {
    if (stream !== STREAM) throw new Http2Error(`a frame for stream ${stream}`);
  }

  #checkConnections({ type, stream, payload }: Frame): void {
    const isWhole = { [TYPE.settings]: payload.length % 6 === 0, [TYPE.ping]: payload.length === 8 }[type] ?? true;
    if (stream !== 0 || !isWhole) throw new Http2Error(`a malformed frame of type ${type}`);
  }
}

const frameOf = (type: number, flags: number, payload: Uint8Array = Buffer.alloc(0)) => frame(type, flags, 0, payload);

function unpadded({ flags, payload }: Frame): Uint8Array {
  if ((flags & FLAG.padded) === 0) return payload;
  const [padding = 0] = payload;
  if (padding >= payload.length) throw new Http2Error('more padding than data');
  return payload.subarray(1, payload.length - padding);
}

function numberAt(payload: Uint8Array, at: number): number {
  if (payload.length < at + 4) throw new Http2Error('a frame that is too short');
  return Buffer.from(payload).readUInt32BE(at);
}
